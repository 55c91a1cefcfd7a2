import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { type Agent, type AgentContext, defineAgent } from '../../../src/agent/index.ts';
import { EngineWorld } from '../../support/engine-world.ts';
import { turns } from '../../support/virtual-clock.ts';

function agentOf(name: string, run: (ctx: AgentContext) => Promise<unknown>): Agent {
  return defineAgent({ name, input: z.unknown(), output: z.unknown(), run });
}

/** `count` steps of `ms` each, on the clock of the world. */
function steps(name: string, count: number, ms: number, clock: () => EngineWorld['clock']): Agent {
  return agentOf(name, async (ctx) => {
    for (let n = 0; n < count; n++) {
      await ctx.step(
        `s${n}`,
        () =>
          new Promise((resolve) => {
            clock().setTimer(ms, () => {
              resolve(n);
            });
          }),
      );
    }
    return 'done';
  });
}

describe('time slices', () => {
  it('carry a job of more than forty slices to its end', async () => {
    const world: EngineWorld = new EngineWorld([steps('subject', 130, 50_000, () => world.clock)], {
      invocationMs: 200_000,
    });
    const jobId = await world.submit('subject');

    const job = await world.drive(jobId, 1_000);

    expect(job).toMatchObject({ status: 'succeeded', totals: { stepsSucceeded: 130 } });
    expect(job.epoch).toBeGreaterThan(40);
  });

  it('stop a job that records nothing in ten of them in a row', async () => {
    const world = new EngineWorld([agentOf('subject', () => new Promise(() => undefined))]);
    const jobId = await world.submit('subject');

    const job = await world.drive(jobId, 1_000);

    expect(job).toMatchObject({ status: 'failed', error: { code: 'hops_exceeded' } });
    expect(job.epoch).toBe(11);
  });
});

describe('early yield', () => {
  it('lets the straggler of a batch go on by a message of its own, at its next step', async () => {
    const world: EngineWorld = new EngineWorld([
      steps('quick', 1, 100, () => world.clock),
      steps('long', 20, 10_000, () => world.clock),
    ]);
    const quick = await Promise.all([1, 2, 3, 4].map(() => world.submit('quick')));
    const long = await world.submit('long');
    const startedAt = world.clock.now();

    await world.invoke(...quick, long);

    expect(world.clock.now() - startedAt).toBe(10_000);
    expect(await world.job(long)).toMatchObject({ status: 'queued', epoch: 1 });
    expect(world.queue.messages.map(({ hint }) => hint.reason)).toEqual(['continued']);
    const job = await world.drive(long);
    expect(job).toMatchObject({ status: 'succeeded', epoch: 2, totals: { stepsSucceeded: 20 } });
  });

  it('leaves a job alone that shares its invocation with nobody', async () => {
    const world: EngineWorld = new EngineWorld([steps('long', 20, 10_000, () => world.clock)]);
    const jobId = await world.submit('long');

    const work = world.invoke(jobId);
    await turns();
    await work;

    expect(await world.job(jobId)).toMatchObject({ status: 'succeeded', epoch: 1 });
  });
});
