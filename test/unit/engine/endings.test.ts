import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { type AgentContext, defineAgent, RetryableError } from '../../../src/agent/index.ts';
import { cancelOwnJob, pauseJob, resumeJob } from '../../../src/core/commands/control-job.ts';
import { performDuties } from '../../../src/core/engine/duties.ts';
import { foldJournal } from '../../../src/core/engine/journal-view.ts';
import type { DeadLetter } from '../../../src/core/ports/job-queue.ts';
import type { JournalEntry, JournalPage } from '../../../src/core/job/journal.ts';
import { reclaim } from '../../../src/core/job/transitions.ts';
import type { JobStore } from '../../../src/core/ports/job-store.ts';
import { EngineWorld } from '../../support/engine-world.ts';
import { turns } from '../../support/virtual-clock.ts';

function worldWith(
  run: (ctx: AgentContext) => Promise<unknown>,
  more: {
    maxDuration?: '1h';
    maxAttempts?: number;
    onCancel?: (ctx: AgentContext) => Promise<void>;
  } = {},
): EngineWorld {
  const { onCancel, ...limits } = more;
  const rest = onCancel === undefined ? {} : { onCancel };
  return new EngineWorld([
    defineAgent({ name: 'subject', input: z.unknown(), output: z.unknown(), limits, run, ...rest }),
  ]);
}

describe('duties of a finished job', () => {
  it('are not brought back by whoever did one of them late', async () => {
    const world = worldWith((ctx) =>
      ctx.step('fails', () => Promise.reject(new Error('always')), { retries: 0 }),
    );
    const jobId = await world.submit('subject');
    const { jobs } = world.deps;
    await jobs.updateJob(jobId, {
      condition: { attribute: 'status', is: '=', value: 'queued' },
      set: { parentId: `job_${'p'.repeat(26)}` },
    });
    // The worker stands still while it sends the dead letter, until somebody else has done all there is to do.
    let goOn = (): void => undefined;
    const slow = {
      ...world.deps,
      deadLetters: {
        send: (letter: DeadLetter) =>
          new Promise<void>((resolve) => {
            goOn = () => {
              world.deadLetters.send(letter).then(resolve, () => undefined);
            };
          }),
      },
    };
    const work = world.start(slow, jobId);
    while ((await world.job(jobId)).duties === undefined) await new Promise(setImmediate);
    expect((await world.job(jobId)).duties).toEqual(['deadLetter', 'parent']);
    await performDuties(world.deps, await world.job(jobId));
    expect((await world.job(jobId)).duties).toBeUndefined();

    goOn();
    await world.settle(work);

    expect((await world.job(jobId)).duties).toBeUndefined();
    expect((await world.job(jobId)).dueAt).toBeUndefined();
  });
});

describe('the deadline', () => {
  it('ends a clean-up that waits, so that it does not go round for ever', async () => {
    const world = worldWith((ctx) => ctx.sleep('nap', '30m'), {
      maxDuration: '1h',
      onCancel: (ctx) => ctx.sleep('long', '2d'),
    });
    const jobId = await world.submit('subject');
    await world.invoke(jobId);
    await cancelOwnJob(world.deps, { jobId, tenantId: 'acme' });
    await world.invoke(jobId);
    expect(await world.job(jobId)).toMatchObject({ status: 'waiting', waitingFor: 'sleep' });

    const ended = await world.drive(jobId);

    expect(ended.status).toBe('cancelled');
    expect((ended.finishedAt ?? 0) - ended.createdAt).toBeLessThan(3_700_000);
    expect((await world.entries(jobId)).at(-1)?.type).toBe('job.cancelled');
  });
});

describe('a run that has ended', () => {
  it('starts no further try of a step that waits for it', async () => {
    const tries: number[] = [];
    const world = worldWith((ctx) =>
      ctx.step(
        'flaky',
        ({ attempt }) => {
          tries.push(attempt);
          throw new RetryableError('not yet', { retryAfter: '4s' });
        },
        { retries: 5 },
      ),
    );
    const jobId = await world.submit('subject');
    const work = world.start(world.deps, jobId);
    while (tries.length === 0) await new Promise(setImmediate);
    await turns();
    await cancelOwnJob(world.deps, { jobId, tenantId: 'acme' });
    // The next try meets the command at its append, and the run ends; a later one must not begin.
    await world.settle(work);
    while (world.clock.fireNext()) await turns();

    expect((await world.job(jobId)).status).toBe('cancelled');
    expect(tries).toEqual([1, 2]);
  });
});

describe('the count of crashes', () => {
  it('starts anew with work, also when the worker died before it could say so', async () => {
    const world = worldWith(
      async (ctx) => {
        for (const id of ['a', 'b', 'c', 'd']) await ctx.step(id, () => id);
        return 'done';
      },
      { maxAttempts: 2 },
    );
    const jobId = await world.submit('subject');
    await world.deps.jobs.updateJob(jobId, {
      condition: { attribute: 'status', is: '=', value: 'queued' },
      set: { crashes: 1 },
    });
    // Records a step, and dies when it is about to reset the count.
    let isDead = false;
    const { jobs } = world.deps;
    const dying: JobStore = {
      ...jobs,
      updateJob: (id, update) => {
        isDead ||= update.set?.crashes === 0;
        return isDead ? new Promise(() => undefined) : jobs.updateJob(id, update);
      },
      appendPage: (page) => (isDead ? new Promise(() => undefined) : jobs.appendPage(page)),
    };
    void world.start({ ...world.deps, jobs: dying }, jobId);
    await turns(60);
    world.freezeTimers();

    const ended = await world.drive(jobId);

    expect(ended.status).toBe('succeeded');
  });
});

describe('the end of a job whose attempts are used up', () => {
  async function exhausted(): Promise<{ world: EngineWorld; jobId: string }> {
    const world = worldWith((ctx) => ctx.step('only', () => 1), { maxAttempts: 2 });
    const jobId = await world.submit('subject');
    await world.deps.jobs.updateJob(jobId, {
      condition: { attribute: 'status', is: '=', value: 'queued' },
      set: { crashes: 2, epoch: 2 },
    });
    return { world, jobId };
  }

  const pageOf = (jobId: string, seq: number, entry: JournalEntry): JournalPage => ({
    jobId,
    generation: 1,
    seq,
    entries: [entry],
    totals: { progressReports: 0, stepsSucceeded: 0, stepsFailed: 0 },
    expiresAtSeconds: 2_000_000_000,
  });

  it('is the one that was recorded, also when a command came behind it', async () => {
    const { world, jobId } = await exhausted();
    const { jobs } = world.deps;
    await jobs.appendPage(pageOf(jobId, 1, { type: 'job.cancelled', at: 0, attempt: 1 }));
    await jobs.appendPage(pageOf(jobId, 2, { type: 'pause.requested', at: 0, attempt: 1 }));

    expect((await world.drive(jobId)).status).toBe('cancelled');
  });

  it('is not written by a worker that lost the job while it read', async () => {
    const { world, jobId } = await exhausted();
    const { jobs } = world.deps;
    const slow: JobStore = {
      ...jobs,
      readPages: async (position) => {
        const pages = await jobs.readPages(position);
        await jobs.updateJob(jobId, reclaim('invocation-1', world.clock.now()));
        return pages;
      },
    };
    await world.settle(world.start({ ...world.deps, jobs: slow }, jobId));

    expect(await world.entries(jobId)).toEqual([]);
    expect((await world.job(jobId)).status).toBe('queued');
  });
});

describe('sub-jobs of a job that failed', () => {
  it('are cancelled although a read for readers does not name them yet', async () => {
    const child = defineAgent({
      name: 'child',
      input: z.unknown(),
      output: z.unknown(),
      run: (ctx) => ctx.sleep('long', '20m'),
    });
    const parent = defineAgent({
      name: 'subject',
      input: z.unknown(),
      output: z.unknown(),
      run: async (ctx) => {
        await ctx.spawn('child', 'child', {});
        throw new Error('no more');
      },
    });
    const world = new EngineWorld([parent, child]);
    const jobId = await world.submit('subject');
    const { jobs } = world.deps;
    const late: JobStore = { ...jobs, listPages: () => Promise.resolve({ pages: [] }) };
    await world.settle(world.start({ ...world.deps, jobs: late }, jobId));

    expect((await world.job(jobId)).status).toBe('failed');
    expect(world.statuses('child')).toEqual(['cancelled']);
  });
});

describe('totals after a user retry', () => {
  it('count the steps that are kept, and no signal', () => {
    const base = { at: 0, attempt: 1 };
    const body = { kind: 'inline', json: '1' } as const;
    const entries: JournalEntry[] = [
      { ...base, type: 'step.succeeded', stepId: 'a', try: 1, durationMs: 0, outcome: body },
      { ...base, type: 'wait.started', stepId: 'b', name: 'go' },
      { ...base, type: 'signal.received', stepId: 'b', name: 'go', signalId: '1', body },
    ];
    const totals = { progressReports: 0, stepsSucceeded: 1, stepsFailed: 0 };
    const page = { jobId: 'j', generation: 1, seq: 1, entries, totals, expiresAtSeconds: 0 };
    const cuts = [{ generation: 1, seq: 1, keep: 'succeeded' }] as const;

    expect(foldJournal([page], { generation: 2, cuts }).totals.stepsSucceeded).toBe(1);
  });
});

describe('a lease that is lost while the job is loaded', () => {
  it('lets no step start', async () => {
    const log: string[] = [];
    const world = worldWith((ctx) => ctx.step('only', () => void log.push('ran')));
    const jobId = await world.submit('subject');
    const { jobs } = world.deps;
    await jobs.updateJob(jobId, {
      condition: { attribute: 'status', is: '=', value: 'queued' },
      set: { wakeups: 1 },
    });
    const slow: JobStore = {
      ...jobs,
      loadHistory: async (id) => {
        const history = await jobs.loadHistory(id);
        await jobs.deleteManifest('invocation-1');
        // A heartbeat passes meanwhile.
        await new Promise<void>((resolve) => {
          world.clock.setTimer(30_000, resolve);
        });
        return history;
      },
    };
    await world.settle(world.start({ ...world.deps, jobs: slow }, jobId));

    expect(log).toEqual([]);
    expect((await world.job(jobId)).status).toBe('running');
  });
});

describe('a store that fails when the agent has returned', () => {
  it('lets the job be handed back at once, not at the end of the invocation', async () => {
    const world = worldWith((ctx) => {
      ctx.log('all is said');
      return Promise.resolve('done');
    });
    const jobId = await world.submit('subject');
    const { jobs } = world.deps;
    const failing: JobStore = {
      ...jobs,
      appendPage: () => Promise.reject(new Error('the store did not answer')),
    };
    await world.settle(world.start({ ...world.deps, jobs: failing }, jobId));

    expect(await world.job(jobId)).toMatchObject({ status: 'queued', crashes: 1 });
    expect((await world.drive(jobId)).status).toBe('succeeded');
  });
});

describe('a resume that comes while a pause is obeyed', () => {
  it('lets the worker that has the job go on with it', async () => {
    const world = worldWith((ctx) => ctx.step('only', () => 'done'));
    const jobId = await world.submit('subject');
    const own = { jobId, tenantId: 'acme' };
    const { jobs } = world.deps;
    await jobs.updateJob(jobId, {
      condition: { attribute: 'status', is: '=', value: 'queued' },
      set: { wakeups: 1 },
    });
    const meanwhile: JobStore = {
      ...jobs,
      loadHistory: async (id) => {
        if ((await world.job(id)).paused === undefined) await pauseJob(world.deps, own);
        const history = await jobs.loadHistory(id);
        await resumeJob(world.deps, own);
        meanwhile.loadHistory = (again) => jobs.loadHistory(again);
        return history;
      },
    };
    await world.settle(world.start({ ...world.deps, jobs: meanwhile }, jobId));

    expect((await world.job(jobId)).status).toBe('succeeded');
  });
});
