import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { type Agent, type AgentContext, defineAgent } from '../../../src/agent/index.ts';
import type { EngineDeps } from '../../../src/core/engine/engine-deps.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import { EngineWorld } from '../../support/engine-world.ts';
import { turns } from '../../support/virtual-clock.ts';

function agentOf(run: (ctx: AgentContext) => Promise<unknown>, limits = {}): Agent {
  return defineAgent({ name: 'subject', input: z.unknown(), output: z.unknown(), limits, run });
}

const threeSteps = (log: string[]): Agent =>
  agentOf(async (ctx) => {
    for (const id of ['a', 'b', 'c']) await ctx.step(id, () => void log.push(id));
    return 'done';
  });

/** Lets an invocation die at its n-th call of the store: from there on nothing of it reaches the world. */
function dieAtCall(world: EngineWorld, call: number): EngineDeps {
  let calls = 0;
  return world.withStore((proceed) => (++calls >= call ? new Promise(() => undefined) : proceed()));
}

/** Lets the n-th call of the store fail, before or after it took effect; `onwards` also every later one. */
function failAtCall(
  world: EngineWorld,
  fault: { call: number; applied: boolean; onwards?: boolean },
): EngineDeps {
  let calls = 0;
  return world.withStore(async (proceed) => {
    calls++;
    const isHit = calls === fault.call || (fault.onwards === true && calls > fault.call);
    if (!isHit) return proceed();
    if (fault.applied) await proceed();
    throw new Error('the store did not answer');
  });
}

describe('recovery', () => {
  it('drives a job whose hint was lost', async () => {
    const world = new EngineWorld([threeSteps([])]);
    const jobId = await world.submit('subject');

    const job = await world.drive(jobId);

    expect(job.status).toBe('succeeded');
    expect((job.finishedAt ?? Infinity) - job.createdAt).toBeLessThan(45_000);
  });

  it.each(Array.from({ length: 8 }, (_, index) => ({ call: index + 1 })))(
    'ends the same when the worker dies at its store call $call, repeating no recorded step',
    async ({ call }) => {
      const log: string[] = [];
      const world = new EngineWorld([threeSteps(log)]);
      const jobId = await world.submit('subject');
      const dying = dieAtCall(world, call);

      void world.start(dying, jobId);
      await turns(50);
      const recorded = (await world.entries(jobId)).map((entry) =>
        'stepId' in entry ? entry.stepId : '',
      );
      const before = log.length;
      const job = await world.drive(jobId);

      expect(job).toMatchObject({ status: 'succeeded', totals: { stepsSucceeded: 3 } });
      expect(await world.result(jobId)).toBe('done');
      // What was recorded runs no more; what was under way may run once more.
      expect(log.slice(before)).toEqual(['a', 'b', 'c'].filter((id) => !recorded.includes(id)));
    },
  );

  it.each([
    { name: 'a claim that was applied but never answered', call: 2, applied: true },
    { name: 'a claim that failed', call: 2, applied: false },
    { name: 'a page that was stored but never answered', call: 3, applied: true },
    { name: 'a page that failed', call: 3, applied: false },
    { name: 'a finish that failed', call: 6, applied: false },
    { name: 'a finish that was applied but never answered', call: 6, applied: true },
  ])('hands a job back within a minute after $name', async ({ call, applied }) => {
    const world = new EngineWorld([threeSteps([])]);
    const jobId = await world.submit('subject');
    await world.settle(world.start(failAtCall(world, { call, applied }), jobId));

    const job = await world.drive(jobId);

    expect(job).toMatchObject({ status: 'succeeded', totals: { stepsSucceeded: 3 } });
    expect((job.finishedAt ?? Infinity) - job.createdAt).toBeLessThan(60_000);
  });

  it('leaves its manifest to the sweeper when it cannot hand a job back', async () => {
    const world = new EngineWorld([threeSteps([])]);
    const jobId = await world.submit('subject');
    const failing = failAtCall(world, { call: 4, applied: false, onwards: true });
    await world.settle(world.start(failing, jobId));
    expect((await world.job(jobId)).status).toBe('running');

    const job = await world.drive(jobId);

    expect(job.status).toBe('succeeded');
    expect((job.finishedAt ?? Infinity) - job.createdAt).toBeLessThan(120_000);
  });

  it('runs a job alone after a crash, and never in a batch with others', async () => {
    const world = new EngineWorld([threeSteps([])]);
    const jobId = await world.submit('subject');
    const neighbour = await world.submit('subject');
    void world.start(dieAtCall(world, 3), jobId);
    await turns(50);
    world.clock.jump(61_000);
    await world.settle(sweep(world.deps));

    expect(await world.job(jobId)).toMatchObject({ status: 'queued', crashes: 1 });
    expect(world.queue.messages.filter((message) => message.isolated)).toHaveLength(1);
    await world.invoke(jobId, neighbour);
    expect((await world.job(jobId)).status).toBe('queued');
    expect((await world.job(neighbour)).status).toBe('succeeded');
    await world.invoke(jobId);
    expect((await world.job(jobId)).status).toBe('succeeded');
  });

  it('fails a job that kills every worker, naming the step, with a dead letter, after maxAttempts', async () => {
    const world = new EngineWorld([
      agentOf(
        async (ctx) => {
          await ctx.step('fine', () => 1);
          await ctx.step('deadly', () => new Promise(() => undefined), { timeout: '4m' });
        },
        { maxAttempts: 3 },
      ),
    ]);
    const jobId = await world.submit('subject');
    for (let crash = 0; crash < 5 && (await world.job(jobId)).status !== 'failed'; crash++) {
      void world.start(world.deps, jobId);
      await turns(50);
      world.freezeTimers();
      world.clock.jump(61_000);
      await world.settle(sweep(world.deps));
    }

    const job = await world.drive(jobId);
    expect(job).toMatchObject({
      status: 'failed',
      deadLettered: true,
      error: { code: 'attempts_exhausted', step: 'deadly' },
    });
    expect(world.deadLetters.letters).toHaveLength(1);
    expect(world.deadLetters.letters[0]).toMatchObject({
      jobId,
      code: 'attempts_exhausted',
      step: 'deadly',
    });
  });

  it('refuses everything a worker writes after it lost its lease', async () => {
    const log: string[] = [];
    let release = (): void => undefined;
    const world = new EngineWorld([
      agentOf(async (ctx) => {
        await ctx.step(
          'slow',
          ({ attempt: _attempt }) => {
            log.push('slow');
            return log.length === 1
              ? new Promise<string>((resolve) => {
                  release = () => {
                    resolve('zombie');
                  };
                })
              : 'fresh';
          },
          { timeout: '4m' },
        );
        return 'done';
      }),
    ]);
    const jobId = await world.submit('subject');
    void world.start(world.deps, jobId);
    await turns(50);
    world.freezeTimers();
    world.clock.jump(61_000);
    await world.settle(sweep(world.deps));
    await world.drive(jobId);
    release();
    await turns(50);

    const outcomes = (await world.entries(jobId)).filter(
      (entry) => entry.type === 'step.succeeded',
    );
    expect(outcomes).toHaveLength(1);
    expect(outcomes[0]).toMatchObject({ outcome: { json: '"fresh"' }, attempt: 2 });
  });

  it('gives up at the end of its slice and continues by a new message', async () => {
    const world = new EngineWorld(
      [
        agentOf(async (ctx) => {
          for (let n = 0; n < 10; n++) {
            await ctx.step(
              `s${n}`,
              () =>
                new Promise((resolve) => {
                  world.clock.setTimer(50_000, () => {
                    resolve(n);
                  });
                }),
              { timeout: '60s' },
            );
          }
          return 'done';
        }),
      ],
      { invocationMs: 300_000 },
    );
    const jobId = await world.submit('subject');
    await world.invoke(jobId);

    const between = await world.job(jobId);
    expect(between).toMatchObject({ status: 'queued', crashes: 0 });
    expect(world.queue.messages.map(({ hint }) => hint.reason)).toEqual(['continued']);
    const job = await world.drive(jobId);
    expect(job).toMatchObject({
      status: 'succeeded',
      totals: { stepsSucceeded: 10, stepsFailed: 0 },
    });
    expect(job.epoch).toBeGreaterThan(1);
  });

  it('keeps its lease through a step longer than the lease, and starts it once', async () => {
    let starts = 0;
    const world = new EngineWorld([
      agentOf((ctx) =>
        ctx.step(
          'long',
          () => {
            starts++;
            return new Promise((resolve) => {
              world.clock.setTimer(240_000, () => {
                resolve(1);
              });
            });
          },
          { timeout: '250s' },
        ),
      ),
    ]);
    const jobId = await world.submit('subject');
    const work = world.start(world.deps, jobId);
    await turns(5);
    while (world.clock.fireNext()) {
      await turns(5);
      await sweep(world.deps);
    }
    await work;

    expect(starts).toBe(1);
    expect(await world.job(jobId)).toMatchObject({ status: 'succeeded', epoch: 1 });
  });

  it('waits for an agent that is not deployed, and says so', async () => {
    const world = new EngineWorld([threeSteps([])]);
    const jobId = await world.submit('vanished');
    await world.invoke(jobId);

    expect(await world.job(jobId)).toMatchObject({
      status: 'waiting',
      waitingFor: 'agent_missing',
    });
  });
});
