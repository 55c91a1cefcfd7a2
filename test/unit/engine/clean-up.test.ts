import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import {
  type AgentContext,
  type AgentLimits,
  defineAgent,
  TerminalError,
} from '../../../src/agent/index.ts';
import { cancelOwnJob } from '../../../src/core/commands/control-job.ts';
import { restartJob } from '../../../src/core/commands/restart-job.ts';
import type { JobStore } from '../../../src/core/ports/job-store.ts';
import { EngineWorld } from '../../support/engine-world.ts';
import { turns } from '../../support/virtual-clock.ts';

const MINUTE_MS = 60_000;
const decision = z.object({ ok: z.boolean() });

type CleanUp = (ctx: AgentContext) => Promise<void>;

/** A job that waits, and is cancelled then. */
async function cancelled(onCancel: CleanUp | undefined, limits: AgentLimits = {}) {
  const any = z.unknown();
  const run = async (ctx: AgentContext): Promise<void> => {
    await ctx.step('acquire', () => 'held');
    await ctx.sleep('nap', '20d');
  };
  const rest = onCancel === undefined ? {} : { onCancel };
  const world = new EngineWorld([
    defineAgent({ name: 'subject', input: any, output: any, limits, run, ...rest }),
  ]);
  const jobId = await world.submit('subject');
  await world.invoke(jobId);
  const own = { jobId, tenantId: 'acme' };
  await cancelOwnJob(world.deps, own);
  const askedAt = world.clock.now();
  const end = async () => {
    const job = await world.drive(jobId);
    const tookMs = (job.finishedAt ?? Infinity) - askedAt;
    return { job, tookMs, last: (await world.entries(jobId)).at(-1) };
  };
  return { world, jobId, own, end };
}

describe('a clean-up that does not end', () => {
  it.each<{ name: string; limits: AgentLimits; afterMs: number; onCancel: CleanUp }>([
    {
      name: 'a sleep of days, after an hour',
      limits: {},
      afterMs: 60 * MINUTE_MS,
      onCancel: (ctx) => ctx.sleep('long', '5d'),
    },
    {
      name: 'a signal that nobody sends, after the time that its agent declares',
      limits: { maxCleanUp: '10m' },
      afterMs: 10 * MINUTE_MS,
      onCancel: async (ctx) => {
        await ctx.waitForSignal('ok', { schema: decision });
      },
    },
    {
      name: 'a step that is tried again and again',
      limits: { maxCleanUp: '30m' },
      afterMs: 30 * MINUTE_MS,
      onCancel: (ctx) =>
        ctx.step('release', () => Promise.reject(new Error('down')), {
          retries: 100,
          backoff: { base: '1m', max: '1m' },
        }),
    },
    {
      name: 'a clean-up that hangs outside of steps',
      limits: { maxCleanUp: '30m' },
      afterMs: 30 * MINUTE_MS,
      onCancel: () => new Promise(() => undefined),
    },
    {
      name: 'whatever it is, at the deadline of the job',
      limits: { maxDuration: '20m' },
      afterMs: 20 * MINUTE_MS,
      onCancel: (ctx) => ctx.sleep('long', '5d'),
    },
  ])('is left where it is: $name', async ({ limits, afterMs, onCancel }) => {
    const { end } = await cancelled(onCancel, limits);

    const { job, tookMs, last } = await end();

    expect(job).toMatchObject({ status: 'cancelled' });
    expect(last).toMatchObject({
      type: 'job.cancelled',
      cleanUpError: { code: 'clean_up_exceeded' },
    });
    expect(tookMs).toBeGreaterThanOrEqual(afterMs);
    // In the middle of a slice, too; a clean-up that waits is looked at every ten seconds.
    expect(tookMs).toBeLessThan(afterMs + MINUTE_MS);
  });

  it('says until when the job waits, whatever it waits for', async () => {
    const { world, jobId } = await cancelled((ctx) => ctx.sleep('long', '5d'), {
      maxCleanUp: '10m',
    });
    const job = await world.job(jobId);
    await world.invoke(jobId);

    expect(await world.job(jobId)).toMatchObject({
      status: 'waiting',
      wakeAt: (job.cancelRequestedAt ?? 0) + 10 * MINUTE_MS,
    });
  });

  it('is not begun a second time by a cancel that is repeated', async () => {
    const { world, own, end } = await cancelled((ctx) => ctx.sleep('long', '5d'), {
      maxCleanUp: '30m',
    });
    await world.advanceTo(world.clock.now() + 20 * MINUTE_MS);
    await cancelOwnJob(world.deps, own);

    expect((await end()).tookMs).toBeLessThan(36 * MINUTE_MS);
  });
});

describe('a clean-up that ends in time', () => {
  it('leaves no trace of a failure', async () => {
    const { end } = await cancelled(async (ctx) => {
      await ctx.sleep('settle', '20m');
      await ctx.step('release', () => 'released');
    });

    expect((await end()).last).not.toHaveProperty('cleanUpError');
  });

  it('may take as many steps again as the job has', async () => {
    const { world, jobId, end } = await cancelled(
      async (ctx) => {
        await ctx.step('release', () => 'released');
        await ctx.step('one too many', () => 'never');
      },
      { maxSteps: 1 },
    );

    expect((await end()).last).toMatchObject({ cleanUpError: { code: 'steps_exceeded' } });
    const steps = (await world.entries(jobId)).flatMap((entry) =>
      entry.type === 'step.succeeded' ? [entry.stepId] : [],
    );
    expect(steps).toEqual(['acquire', '[cancel]/release']);
  });
});

it('notes why a clean-up failed, and ends cancelled', async () => {
  const { end } = await cancelled((ctx) =>
    ctx.step('release', () => {
      throw new TerminalError('the lock is gone');
    }),
  );

  const { job, last } = await end();

  expect(job).toMatchObject({ status: 'cancelled' });
  expect(job).not.toHaveProperty('error');
  expect(last).toMatchObject({ cleanUpError: { message: 'the lock is gone' } });
});

it('notes also that a clean-up threw nothing at all', async () => {
  const { end } = await cancelled(() => {
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- that is the point
    throw undefined;
  });

  expect((await end()).last).toMatchObject({ cleanUpError: { message: 'undefined' } });
});

it('notes nothing where there is no clean-up to fail', async () => {
  const { world, end } = await cancelled(undefined, { maxDuration: '1h' });
  // Whoever was to obey comes after the deadline.
  world.clock.jump(61 * MINUTE_MS);

  const { job, last } = await end();

  expect(job.status).toBe('cancelled');
  expect(last).not.toHaveProperty('cleanUpError');
});

describe('a crash in the middle of a clean-up', () => {
  const log: string[] = [];
  const twoSteps: CleanUp = async (ctx) => {
    await ctx.step('first', () => void log.push('first'));
    await ctx.step('second', () => void log.push('second'));
  };

  /** A worker whose n-th append is the last thing that it does. */
  async function crashed(world: EngineWorld, jobId: string, append: number): Promise<void> {
    let appends = 0;
    let isDead = false;
    const never = (): Promise<never> => new Promise(() => undefined);
    const { jobs } = world.deps;
    const dying: JobStore = {
      ...jobs,
      updateJob: (id, update) => (isDead ? never() : jobs.updateJob(id, update)),
      renewManifest: (id, at) => (isDead ? never() : jobs.renewManifest(id, at)),
      appendPage: async (page) => {
        if (isDead) return never();
        if (++appends === append) isDead = true;
        const answer = await jobs.appendPage(page);
        return appends === append ? never() : answer;
      },
    };
    void world.start({ ...world.deps, jobs: dying }, jobId);
    await turns(60);
    world.freezeTimers();
  }

  it.each([
    { after: 'its first step', append: 1, expected: ['first', 'second'] },
    { after: 'its last step', append: 2, expected: ['first', 'second'] },
    { after: 'the final entry', append: 3, expected: ['first', 'second'] },
  ])('after $after repeats none of its steps', async ({ append, expected }) => {
    log.length = 0;
    const { world, jobId, end } = await cancelled(twoSteps);
    await crashed(world, jobId, append);
    expect((await world.job(jobId)).status).toBe('running');

    const { job, last } = await end();

    expect(job.status).toBe('cancelled');
    expect(log).toEqual(expected);
    expect(last).toMatchObject({ type: 'job.cancelled' });
    expect(last).not.toHaveProperty('cleanUpError');
  });

  it('each time makes the job fail with a dead letter, so that an operator sees what it left behind', async () => {
    const { world, jobId, end } = await cancelled(() => new Promise(() => undefined), {
      maxAttempts: 2,
      maxCleanUp: '12h',
    });
    for (let crash = 0; crash < 2; crash++) {
      const work = world.start(world.deps, jobId);
      work.catch(() => undefined);
      await turns(60);
      world.freezeTimers();
      world.clock.jump(120_000);
      await world.sweep();
      expect((await world.job(jobId)).crashes).toBe(crash + 1);
    }

    const { job } = await end();

    expect(job).toMatchObject({ status: 'failed', error: { code: 'attempts_exhausted' } });
    expect(world.deadLetters.letters).toHaveLength(1);
  });
});

it('runs anew, under other keys, when a retried job is cancelled again', async () => {
  const keys: string[] = [];
  const { world, jobId, own, end } = await cancelled((ctx) =>
    ctx.step('release', ({ idempotencyKey }) => void keys.push(idempotencyKey)),
  );
  await end();
  await restartJob(world.deps, own);
  await world.invoke(jobId);
  await cancelOwnJob(world.deps, own);

  expect((await end()).job).toMatchObject({ status: 'cancelled', generation: 2 });
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(2);
});

it('lets a cancelled job be retried although its clean-up was left', async () => {
  const { world, jobId, own, end } = await cancelled((ctx) => ctx.sleep('long', '5d'));
  await end();

  expect(await restartJob(world.deps, own)).toMatchObject({ outcome: 'done' });

  expect(await world.drive(jobId)).toMatchObject({ status: 'succeeded', generation: 2 });
});
