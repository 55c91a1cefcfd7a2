import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import {
  type Agent,
  type AgentContext,
  type ChildHandle,
  defineAgent,
} from '../../../src/agent/index.ts';
import { cancelOwnJob, pauseJob, resumeJob } from '../../../src/core/commands/control-job.ts';
import { forkJob } from '../../../src/core/commands/fork-job.ts';
import { restartJob } from '../../../src/core/commands/restart-job.ts';
import { signalJob } from '../../../src/core/commands/signal-job.ts';
import type { JournalPage } from '../../../src/core/job/journal.ts';
import { requestCancel } from '../../../src/core/job/transitions.ts';
import { EngineWorld } from '../../support/engine-world.ts';
import { turns } from '../../support/virtual-clock.ts';

function agentOf(
  run: (ctx: AgentContext, input: unknown) => Promise<unknown>,
  more: Partial<Agent> = {},
): Agent {
  return defineAgent({
    name: 'subject',
    input: z.unknown(),
    output: z.unknown(),
    run,
    ...(more as object),
  });
}

const decision = z.object({ approved: z.boolean() });
const approval = agentOf(async (ctx) => {
  await ctx.step('draft', () => 'draft');
  return ctx.waitForSignal('approval', { schema: decision, timeout: '3d' });
});

async function begun(
  ...agents: Agent[]
): Promise<{ world: EngineWorld; jobId: string; own: { jobId: string; tenantId: string } }> {
  const world = new EngineWorld(agents);
  const jobId = await world.submit('subject');
  return { world, jobId, own: { jobId, tenantId: 'acme' } };
}

describe('signals', () => {
  const yes = { name: 'approval', body: { approved: true } };

  it('wakes a job that waits, which holds no compute meanwhile', async () => {
    const { world, jobId, own } = await begun(approval);
    await world.invoke(jobId);
    expect(await world.job(jobId)).toMatchObject({
      status: 'waiting',
      waitingFor: 'signal',
      waitingOn: 'approval',
    });

    expect(await signalJob(world.deps, { ...own, ...yes })).toMatchObject({ outcome: 'done' });

    await world.drive(jobId);
    expect(await world.result(jobId)).toEqual({ approved: true });
  });

  it('counts when it came before the wait began', async () => {
    const { world, jobId, own } = await begun(approval);
    await signalJob(world.deps, { ...own, ...yes });
    await world.invoke(jobId);

    expect(await world.result(jobId)).toEqual({ approved: true });
  });

  it('counts when it comes while the job is about to suspend', async () => {
    const { world, jobId, own } = await begun(
      agentOf(async (ctx) => {
        await ctx.step('announce', async () => {
          await signalJob(world.deps, { ...own, ...yes });
        });
        return ctx.waitForSignal('approval', { schema: decision });
      }),
    );
    await world.invoke(jobId);

    expect(await world.result(jobId)).toEqual({ approved: true });
  });

  it('is consumed once when it was sent twice, and a bad one is put aside', async () => {
    const { world, jobId, own } = await begun(
      agentOf(async (ctx) => [
        await ctx.waitForSignal('first', { schema: decision, name: 'approval' }),
        await ctx
          .waitForSignal('second', { schema: decision, name: 'approval', timeout: '1h' })
          .catch((error: unknown) => (error as { code: string }).code),
      ]),
    );
    await world.invoke(jobId);
    await signalJob(world.deps, { ...own, name: 'approval', body: { approved: 'perhaps' } });
    await world.invoke(jobId);
    expect((await world.job(jobId)).status).toBe('waiting');
    await signalJob(world.deps, { ...own, ...yes });
    await signalJob(world.deps, { ...own, ...yes });
    await world.drive(jobId);

    expect(await world.result(jobId)).toEqual([{ approved: true }, 'signal_timeout']);
    const types = (await world.entries(jobId)).map(({ type }) => type);
    expect(types.filter((type) => type === 'signal.rejected')).toHaveLength(1);
    expect(types.filter((type) => type === 'signal.received')).toHaveLength(1);
  });

  it('is noticed by a branch that waits while another branch runs a long step', async () => {
    const log: string[] = [];
    const { world, jobId, own } = await begun(
      agentOf(async (ctx) => {
        const long = ctx.step(
          'long',
          () =>
            new Promise((resolve) => {
              world.clock.setTimer(200_000, () => {
                log.push('long');
                resolve(1);
              });
            }),
          { timeout: '250s' },
        );
        const signal = ctx
          .waitForSignal('approval', { schema: decision })
          .then(() => log.push('signal'));
        await Promise.all([long, signal]);
      }),
    );
    const work = world.start(world.deps, jobId);
    await turns();
    await signalJob(world.deps, { ...own, ...yes });
    await world.settle(work);

    expect(log).toEqual(['signal', 'long']);
    expect((await world.job(jobId)).epoch).toBe(1);
  });

  it('moves the agent on although its schema takes its time and another branch waits', async () => {
    const slowly = decision.refine(() => turns(5).then(() => true));
    const { world, jobId, own } = await begun(
      agentOf(async (ctx) => {
        const approved = async () => {
          await ctx.waitForSignal('approval', { schema: slowly });
          await ctx.step('pay', () => 'paid');
        };
        await Promise.all([approved(), ctx.waitForSignal('receipt', { schema: z.unknown() })]);
      }),
    );
    await world.invoke(jobId);

    await signalJob(world.deps, { ...own, ...yes });
    await world.invoke(jobId);

    expect(await world.job(jobId)).toMatchObject({ status: 'waiting', waitingOn: 'receipt' });
    const entries = await world.entries(jobId);
    expect(entries.map(({ type }) => type)).toContain('step.succeeded');
  });

  it('is refused by a job that has ended', async () => {
    const { world, jobId, own } = await begun(agentOf(() => Promise.resolve(1)));
    await world.drive(jobId);
    expect(await signalJob(world.deps, { ...own, ...yes })).toMatchObject({ outcome: 'refused' });
  });
});

describe('what lost a race', () => {
  it.each([
    {
      name: 'a sleep',
      lose: (ctx: AgentContext) => ctx.sleep('timeout', '1h'),
    },
    {
      name: 'a wait for a signal',
      lose: (ctx: AgentContext) => ctx.waitForSignal('approval', { schema: decision }),
    },
    {
      name: 'a join',
      lose: (ctx: AgentContext, child: ChildHandle) => ctx.join([child]),
    },
  ])('is given up when it is $name and run returns', async ({ lose }) => {
    const racing = agentOf(async (ctx) => {
      const child = await ctx.spawn('child', 'sleeper', {});
      return Promise.race([lose(ctx, child), ctx.step('work', () => 'done')]);
    });
    const sleeper = defineAgent({
      name: 'sleeper',
      input: z.unknown(),
      output: z.unknown(),
      run: (ctx) => ctx.sleep('long', '1d'),
    });
    const { world, jobId } = await begun(racing, sleeper);

    await world.drive(jobId);

    expect(await world.job(jobId)).toMatchObject({ status: 'succeeded' });
    expect(await world.result(jobId)).toBe('done');
  });
});

describe('sub-jobs', () => {
  it('need an input: a spawn without one is refused, and its job can go on', async () => {
    const { world, jobId } = await begun(
      agentOf((ctx) =>
        ctx
          .spawn('child', 'subject', undefined)
          .catch((error: unknown) => (error as { code?: unknown }).code),
      ),
    );

    await world.drive(jobId);

    expect(await world.result(jobId)).toBe('invalid_child_input');
  });

  const child = defineAgent({
    name: 'child',
    input: z.object({ n: z.number() }),
    output: z.number(),
    run: (ctx, { n }) =>
      ctx.step(
        'double',
        () => {
          if (n < 0) throw Object.assign(new Error('negative'), { code: 'E_NEGATIVE' });
          return n * 2;
        },
        { retries: 0 },
      ),
  });
  const parentOf = (numbers: number[], onFailure: 'fail' | 'collect' = 'fail'): Agent =>
    agentOf(async (ctx) => {
      const handles = await ctx.map('each', numbers, { concurrency: 50 }, (n, scope) =>
        scope.spawn('child', 'child', { n }),
      );
      return ctx.join(handles, { onFailure } as { onFailure: 'fail' });
    });

  it('gives the results of 500 sub-jobs in order, waking the parent once', async () => {
    const numbers = [...Array(500).keys()];
    const { world, jobId } = await begun(parentOf(numbers), child);
    await world.drive(jobId, 2_000);

    expect(await world.result(jobId)).toEqual(numbers.map((n) => n * 2));
    expect((await world.job(jobId)).epoch).toBeLessThanOrEqual(3);
  });

  // Peer fault 3: the success of a child that came before its parent waited was not recorded.
  it('count when they end long before their parent joins them', async () => {
    const { world, jobId } = await begun(
      agentOf(async (ctx) => {
        const handle = await ctx.spawn('early', 'child', { n: 21 });
        await ctx.sleep('nap', '1d');
        await ctx.step('more', () => 'done');
        return ctx.join([handle]);
      }),
      child,
    );
    await world.invoke(jobId);
    await world.rounds(2);
    expect(world.statuses('child')).toEqual(['succeeded']);
    expect(await world.job(jobId)).toMatchObject({ status: 'waiting', waitingFor: 'sleep' });

    await world.drive(jobId);

    expect(await world.result(jobId)).toEqual([42]);
  });

  it('count when their parent looks for them just as it lets go', async () => {
    const child = defineAgent({
      name: 'child',
      input: z.unknown(),
      output: z.unknown(),
      run: () => Promise.resolve('done'),
    });
    const { world, jobId } = await begun(
      agentOf(async (ctx) => {
        const handle = await ctx.spawn('child', 'child', {});
        await ctx.step('long', async () => {
          await world.start(world.deps, handle.jobId);
          await new Promise<void>((resolve) => void world.clock.setTimer(25_000, resolve));
        });
        ctx.progress({ message: 'stored when the job lets go' });
        return ctx.join([handle]);
      }),
      child,
    );
    // The look at the heartbeat is slow: its answer comes when the job has decided to let go.
    const looks: (() => void)[] = [];
    const jobs = new Proxy(world.deps.jobs, {
      get: (store, name) => {
        const method = Reflect.get(store, name) as (...given: unknown[]) => Promise<unknown>;
        return async (...given: unknown[]) => {
          if (name === 'listChildOutcomes') await new Promise<void>((done) => looks.push(done));
          if (name === 'appendPage' && JSON.stringify(given).includes('progress.reported')) {
            for (const answer of looks.splice(0)) answer();
            await turns();
          }
          return method.apply(store, given);
        };
      },
    });
    await world.settle(world.start({ ...world.deps, jobs }, jobId));

    await world.drive(jobId);
    expect(await world.result(jobId)).toEqual(['done']);
    expect((await world.job(jobId)).finishedAt).toBeLessThan(Date.UTC(2030, 0, 1, 1));
  });

  it('are made a few at a time, however many are asked for at once', async () => {
    const { world, jobId } = await begun(
      agentOf((ctx) =>
        Promise.all(Array.from({ length: 300 }, (_, n) => ctx.spawn(`c${n}`, 'child', { n }))),
      ),
      child,
    );
    const { jobs } = world.deps;
    let atOnce = 0;
    let most = 0;
    const counting = {
      ...jobs,
      createJob: async (...args: Parameters<typeof jobs.createJob>) => {
        most = Math.max(most, ++atOnce);
        await new Promise(setImmediate);
        atOnce--;
        return jobs.createJob(...args);
      },
    };
    await world.settle(world.start({ ...world.deps, jobs: counting }, jobId));

    expect(await world.job(jobId)).toMatchObject({ status: 'succeeded' });
    expect(world.jobCount('child')).toBe(300);
    expect(most).toBe(25);
  });

  it('are not made any more once a cancel is obeyed', async () => {
    const { world, jobId, own } = await begun(
      agentOf((ctx) =>
        Promise.all(Array.from({ length: 300 }, (_, n) => ctx.spawn(`c${n}`, 'child', { n }))),
      ),
      child,
    );
    const { jobs } = world.deps;
    let made = 0;
    const slow = {
      ...jobs,
      createJob: async (...args: Parameters<typeof jobs.createJob>) => {
        if (++made === 30) await cancelOwnJob(world.deps, own);
        await turns(2);
        return jobs.createJob(...args);
      },
    };
    await world.settle(world.start({ ...world.deps, jobs: slow }, jobId));

    expect(await world.drive(jobId)).toMatchObject({ status: 'cancelled' });
    expect(world.jobCount('child')).toBeLessThan(200);
  });

  it('never makes a second child, whatever call of the store fails', async () => {
    // The first call puts the manifest; when it fails, the queue delivers again.
    for (let call = 2; call <= 14; call++) {
      const { world, jobId } = await begun(parentOf([1, 2]), child);
      await world.settle(world.start(world.failingAt(call), jobId));
      const job = await world.drive(jobId);
      expect(job.status).toBe('succeeded');
      expect(await world.result(jobId)).toEqual([2, 4]);
      expect(world.jobCount('child')).toBe(2);
    }
  });

  it('fails the join with the first sub-job that failed, or collects', async () => {
    const { world, jobId } = await begun(parentOf([1, -1]), child);
    await world.drive(jobId);
    expect((await world.job(jobId)).error).toMatchObject({
      code: 'agent_failed',
      cause: { code: 'child_failed' },
    });

    const other = await begun(parentOf([1, -1], 'collect'), child);
    await other.world.drive(other.jobId);
    expect(await other.world.result(other.jobId)).toMatchObject([
      { status: 'succeeded', value: 2 },
      { status: 'failed', error: { code: 'step_failed' } },
    ]);
  });

  it('are cancelled with their parent', async () => {
    const waiting = defineAgent({
      name: 'child',
      input: z.unknown(),
      output: z.unknown(),
      run: (ctx) => ctx.sleep('nap', '10d'),
    });
    const { world, jobId, own } = await begun(
      agentOf(async (ctx) =>
        ctx.join([
          await ctx.spawn('a', 'child', {}),
          await ctx.spawn('b', 'child', {}, { cancelWithParent: false }),
        ]),
      ),
      waiting,
    );
    await world.rounds(4);
    await cancelOwnJob(world.deps, own);
    await world.drive(jobId);
    await world.rounds(12);

    expect(world.statuses('child')).toEqual(['cancelled', 'waiting']);
  });

  it.each([
    { name: 'an agent nobody knows', agent: 'nobody', input: {}, code: 'unknown_child_agent' },
    {
      name: 'an input that does not fit',
      agent: 'child',
      input: { n: 'x' },
      code: 'invalid_child_input',
    },
  ])('refuses $name at the spawn', async ({ agent, input, code }) => {
    const { world, jobId } = await begun(
      agentOf((ctx) => ctx.spawn('a', agent, input)),
      child,
    );
    await world.drive(jobId);
    expect((await world.job(jobId)).error?.cause?.code).toBe(code);
  });
});

describe('cancel', () => {
  it('ends a queued job at once, and again is harmless', async () => {
    const { world, jobId, own } = await begun(approval);
    expect(await cancelOwnJob(world.deps, own)).toMatchObject({
      outcome: 'done',
      job: { status: 'cancelled' },
    });
    expect(await cancelOwnJob(world.deps, own)).toMatchObject({ outcome: 'done' });
    await world.invoke(jobId);
    expect((await world.job(jobId)).status).toBe('cancelled');
  });

  it('aborts the running step within two heartbeats, cleans up, and starts no further step', async () => {
    const log: string[] = [];
    const { world, jobId, own } = await begun(
      agentOf(
        async (ctx) => {
          await ctx.step(
            'long',
            ({ signal }) =>
              new Promise((_resolve, reject) => {
                signal.addEventListener('abort', () => {
                  log.push(`aborted after ${(world.clock.now() - t0) / 1000}`);
                  reject(new Error('aborted'));
                });
              }),
            { timeout: '200s' },
          );
          await ctx.step('next', () => log.push('next'));
        },
        {
          onCancel: async (ctx) => {
            await ctx.step('undo', () => void log.push('undo'));
          },
        },
      ),
    );
    const t0 = world.clock.now();
    const work = world.start(world.deps, jobId);
    await turns();
    await cancelOwnJob(world.deps, own);
    await world.settle(work);

    expect(log).toEqual(['aborted after 20', 'undo']);
    expect(await world.job(jobId)).toMatchObject({ status: 'cancelled' });
  });

  it('ends a waiting job', async () => {
    const { world, jobId, own } = await begun(approval);
    await world.invoke(jobId);
    await cancelOwnJob(world.deps, own);
    expect(await world.drive(jobId)).toMatchObject({ status: 'cancelled' });
  });

  it('asked for again and again is noted once', async () => {
    const { world, jobId, own } = await begun(approval);
    await world.invoke(jobId);

    for (let time = 0; time < 5; time++) await cancelOwnJob(world.deps, own);

    const types = (await world.entries(jobId)).map(({ type }) => type);
    expect(types.filter((type) => type === 'cancel.requested')).toHaveLength(1);
  });

  it('is noted by whoever repeats it when its first giver died before', async () => {
    const { world, jobId, own } = await begun(approval);
    await world.invoke(jobId);
    await world.deps.jobs.updateJob(jobId, requestCancel(await world.job(jobId), 1));

    await cancelOwnJob(world.deps, own);

    expect((await world.entries(jobId)).at(-1)).toMatchObject({ type: 'cancel.requested' });
  });

  it('ends the job cancelled when the clean-up fails', async () => {
    const { world, jobId, own } = await begun(
      agentOf((ctx) => ctx.sleep('nap', '1d'), { onCancel: () => Promise.reject(new Error('no')) }),
    );
    await world.invoke(jobId);
    await cancelOwnJob(world.deps, own);
    expect(await world.drive(jobId)).toMatchObject({ status: 'cancelled' });
  });
});

describe('pause and resume', () => {
  it('holds a waiting job and lets it go on', async () => {
    const { world, jobId, own } = await begun(agentOf((ctx) => ctx.sleep('nap', '1m')));
    await world.invoke(jobId);
    await pauseJob(world.deps, own);
    await world.rounds(20);
    expect(await world.job(jobId)).toMatchObject({ paused: true });
    expect((await world.job(jobId)).status).not.toBe('succeeded');

    await resumeJob(world.deps, own);
    expect(await world.drive(jobId)).toMatchObject({ status: 'succeeded' });
  });

  it('are noted in the journal, each once', async () => {
    const { world, jobId, own } = await begun(approval);
    await world.invoke(jobId);

    for (const command of [pauseJob, pauseJob, resumeJob, resumeJob])
      await command(world.deps, own);

    const types = (await world.entries(jobId)).map(({ type }) => type);
    expect(types.slice(-2)).toEqual(['pause.requested', 'job.resumed']);
    expect(types.filter((type) => type === 'pause.requested')).toHaveLength(1);
  });

  it('leave a job alone whose pause is noted behind the resume that took it back', async () => {
    const { world, jobId, own } = await begun(agentOf((ctx) => ctx.step('only', () => 'done')));
    const { jobs } = world.deps;
    // Whoever paused the job stands still before the note of it.
    const slow = {
      ...jobs,
      appendPage: async (page: JournalPage) => {
        await resumeJob(world.deps, own);
        return jobs.appendPage({ ...page, seq: page.seq + 1 });
      },
    };
    await pauseJob({ ...world.deps, jobs: slow }, own);
    const types = (await world.entries(jobId)).map(({ type }) => type);
    expect(types).toEqual(['job.resumed', 'pause.requested']);

    expect(await world.drive(jobId)).toMatchObject({ status: 'succeeded' });
  });

  it('lets the job go on although the resume cannot be noted', async () => {
    const { world, jobId, own } = await begun(agentOf((ctx) => ctx.sleep('nap', '1m')));
    await world.invoke(jobId);
    await pauseJob(world.deps, own);
    const failing = { ...world.deps.jobs, appendPage: () => Promise.reject(new Error('no')) };

    const resumed = await resumeJob({ ...world.deps, jobs: failing }, own);

    expect(resumed).toMatchObject({ outcome: 'done', job: { status: 'queued' } });
    expect(await world.drive(jobId)).toMatchObject({ status: 'succeeded' });
  });

  it('does not stop the clock: a paused job ends at its deadline', async () => {
    const { world, jobId, own } = await begun(
      agentOf((ctx) => ctx.sleep('nap', '1m'), { limits: { maxDuration: '2h' } } as never),
    );
    await world.invoke(jobId);
    await pauseJob(world.deps, own);

    const job = await world.drive(jobId);

    expect(job).toMatchObject({ status: 'failed', error: { code: 'duration_exceeded' } });
  });

  it('makes a running job let go at its next boundary, keeping what it did', async () => {
    const log: string[] = [];
    const { world, jobId, own } = await begun(
      agentOf(async (ctx) => {
        await ctx.step('a', async () => {
          log.push('a');
          await pauseJob(world.deps, own);
        });
        await ctx.step('b', () => log.push('b'));
      }),
    );
    await world.invoke(jobId);
    expect(log).toEqual(['a']);
    expect(await world.job(jobId)).toMatchObject({ status: 'queued', paused: true });

    await resumeJob(world.deps, own);
    await world.drive(jobId);
    expect(log).toEqual(['a', 'b']);
  });
});

describe('progress', () => {
  it('is stored before a job suspends', async () => {
    const { world, jobId } = await begun(
      agentOf(async (ctx) => {
        await ctx.step('a', () => 1);
        ctx.progress({ completed: 1, total: 2 });
        await ctx.sleep('nap', '10d');
      }),
    );
    await world.invoke(jobId);

    const page = await world.deps.jobs.lastPage(jobId, 1);
    expect(page?.totals.progress).toEqual({ completed: 1, total: 2 });
  });

  it('begins anew with a retry from a step', async () => {
    const fails = { now: true };
    const { world, jobId, own } = await begun(
      agentOf(async (ctx) => {
        for (const [index, id] of ['a', 'b', 'c'].entries()) {
          await ctx.step(
            id,
            () => {
              if (fails.now && id === 'c') throw new Error('no');
            },
            { retries: 0 },
          );
          ctx.progress({ completed: index + 1, total: 3 });
          ctx.log(`did ${id}`);
        }
        await ctx.sleep('nap', '1d');
      }),
    );
    await world.drive(jobId);
    fails.now = false;
    await restartJob(world.deps, { ...own, fromStep: 'a' });
    expect((await world.deps.jobs.lastPage(jobId, 2))?.totals.progress).toBeUndefined();

    const job = await world.drive(jobId);

    expect(job.totals?.progress).toEqual({ completed: 3, total: 3 });
    const logged = (await world.entries(jobId)).filter(({ type }) => type === 'log.written');
    expect(logged.map((entry) => ('message' in entry ? entry.message : ''))).toEqual([
      'did a',
      'did b',
      'did a',
      'did b',
      'did c',
    ]);
  });
});

describe('retry and fork', () => {
  const counted = (log: string[], fails: { now: boolean }): Agent =>
    agentOf(async (ctx) => {
      await ctx.step('a', () => void log.push('a'));
      await ctx.step(
        'b',
        () => {
          log.push('b');
          if (fails.now) throw new Error('no');
        },
        { retries: 0 },
      );
      await ctx.step('c', () => void log.push('c'));
      return ctx.hints;
    });

  it('goes on where the job failed, with a hint', async () => {
    const log: string[] = [];
    const fails = { now: true };
    const { world, jobId, own } = await begun(counted(log, fails));
    await world.drive(jobId);
    fails.now = false;

    expect(await restartJob(world.deps, { ...own, hint: 'try harder' })).toMatchObject({
      outcome: 'done',
    });
    const job = await world.drive(jobId);

    expect(job).toMatchObject({
      status: 'succeeded',
      generation: 2,
      totals: { stepsSucceeded: 3, stepsFailed: 0 },
    });
    expect(log).toEqual(['a', 'b', 'b', 'c']);
    expect(await world.result(jobId)).toEqual(['try harder']);
    expect((await world.entries(jobId)).map(({ type }) => type)).toContain('job.restarted');
  });

  it('runs again from a step, keeping what was before it', async () => {
    const log: string[] = [];
    const fails = { now: true };
    const { world, jobId, own } = await begun(counted(log, fails));
    await world.drive(jobId);
    fails.now = false;
    await restartJob(world.deps, { ...own, fromStep: 'a' });
    await world.drive(jobId);
    expect(log).toEqual(['a', 'b', 'a', 'b', 'c']);
    expect(await restartJob(world.deps, own)).toMatchObject({ outcome: 'refused' });
  });

  it('names the steps there are when asked for another', async () => {
    const { world, jobId, own } = await begun(counted([], { now: true }));
    await world.drive(jobId);
    expect(await restartJob(world.deps, { ...own, fromStep: 'zzz' })).toEqual({
      outcome: 'unknown_step',
      steps: ['a', 'b'],
    });
  });

  it('forks a succeeded job into a new one with the kept prefix', async () => {
    const log: string[] = [];
    const { world, jobId, own } = await begun(counted(log, { now: false }));
    await world.drive(jobId);
    const fork = await forkJob(world.deps, {
      ...own,
      fromStep: 'c',
      hint: 'shorter',
      idempotencyKey: 'k',
    });
    const again = await forkJob(world.deps, {
      ...own,
      fromStep: 'c',
      hint: 'shorter',
      idempotencyKey: 'k',
    });
    if (fork?.outcome !== 'done' || again?.outcome !== 'done')
      throw new Error('the fork was refused');
    const job = await world.drive(fork.job.jobId);

    expect(again.job.jobId).toBe(fork.job.jobId);
    expect(log).toEqual(['a', 'b', 'c', 'c']);
    expect(job).toMatchObject({
      status: 'succeeded',
      forkOf: jobId,
      totals: { stepsSucceeded: 3 },
    });
    expect(await world.result(fork.job.jobId)).toEqual(['shorter']);
    expect((await world.job(jobId)).status).toBe('succeeded');
  });
});
