import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { type AgentContext, defineAgent } from '../../../src/agent/index.ts';
import { durationText } from '../../../src/agent/duration.ts';
import {
  type CheckedSubmission,
  checkSubmission,
  type Submission,
} from '../../../src/core/commands/check-submission.ts';
import { cancelOwnJob, pauseJob, resumeJob } from '../../../src/core/commands/control-job.ts';
import { forkJob } from '../../../src/core/commands/fork-job.ts';
import { restartJob } from '../../../src/core/commands/restart-job.ts';
import { signalJob } from '../../../src/core/commands/signal-job.ts';
import { submitJob } from '../../../src/core/commands/submit-job.ts';
import { EngineWorld } from '../../support/engine-world.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function agent(run: (ctx: AgentContext) => Promise<unknown>, limits = {}) {
  return defineAgent({
    name: 'subject',
    input: z.unknown(),
    output: z.unknown(),
    limits: { maxSteps: 10, maxDuration: '2h', ...limits },
    run,
  });
}

const quick = agent((ctx) => ctx.step('work', () => 'done'));

async function submitted(
  asked: Partial<Submission>,
  { of = quick, queue = {} }: { of?: typeof quick; queue?: object } = {},
) {
  const world = new EngineWorld([of]);
  const deps = { ...world.deps, retentionDays: 90 };
  const now = world.clock.now();
  const submission = { tenantId: 'acme', agent: 'subject', input: {}, idempotencyKey: 'k' };
  const check = await checkSubmission(deps, { ...submission, ...asked });
  if (!check.valid) throw new Error(JSON.stringify(check));
  const submit = (checked: CheckedSubmission = check.submission, more: object = queue) =>
    submitJob(
      { ...deps, queue: { ...deps.queue, send: deps.queue.send.bind(deps.queue), ...more } },
      checked,
    );
  const result = await submit();
  if (!result.accepted) throw new Error(result.code);
  const { jobId } = result;
  const own = { jobId, tenantId: 'acme' };
  return { world, now, jobId, own, submit, job: () => world.job(jobId) };
}

async function faultsOf(asked: Partial<Submission>, of = quick) {
  const world = new EngineWorld([of]);
  const submission = { tenantId: 'acme', agent: 'subject', input: {}, ...asked };
  const check = await checkSubmission(world.deps, submission);
  return check.valid || !('faults' in check)
    ? []
    : check.faults.map(({ path, message }) => `${path.join('.')} ${message}`);
}

describe('a job that is to start later', () => {
  const delay = { start: { delayMs: 10 * MINUTE } };

  it('waits for its start, from which its time counts', async () => {
    const { now, job } = await submitted(delay);
    expect(await job()).toMatchObject({
      status: 'waiting',
      waitingFor: 'start',
      startAt: now + 10 * MINUTE,
      wakeAt: now + 10 * MINUTE,
      dueAt: now + 10 * MINUTE,
      deadlineAt: now + 10 * MINUTE + 2 * HOUR,
      createdAt: now,
      epoch: 0,
    });
  });

  it.each([
    { name: 'a delay the queue takes', start: 10 * MINUTE, messages: 1 },
    { name: 'the longest the queue takes', start: 15 * MINUTE, messages: 1 },
    { name: 'one that is left to the sweeper', start: 3 * DAY, messages: 0 },
  ])('starts after $name, and not before', async ({ start, messages }) => {
    const { world, now, jobId, job } = await submitted({ start: { delayMs: start } });
    expect(world.queue.messages.map(({ readyAt }) => readyAt)).toEqual(
      Array.from({ length: messages }, () => now + start),
    );
    world.clock.jump(start - 1);
    await world.sweep();
    await world.invoke(jobId);
    expect(await job()).toMatchObject({ status: 'waiting', epoch: 0 });

    await world.drive(jobId);

    const { status, startedAt = 0 } = await job();
    expect(status).toBe('succeeded');
    expect(startedAt).toBeGreaterThanOrEqual(now + start);
  });

  it('starts although its message was never sent', async () => {
    const lost = { send: () => Promise.reject(new Error('the queue is gone')) };
    const { world, jobId, now } = await submitted(delay, { queue: lost });
    expect(world.queue.messages).toEqual([]);
    const job = await world.drive(jobId);
    expect(job.status).toBe('succeeded');
    expect(job.startedAt).toBeLessThan(now + 11 * MINUTE);
  });

  it('gets its message when the same request comes again', async () => {
    const lost = { send: () => Promise.reject(new Error('the queue is gone')) };
    const { world, submit, now } = await submitted(delay, { queue: lost });
    world.clock.jump(MINUTE);
    expect(await submit(undefined, {})).toMatchObject({ existed: true });
    expect(world.queue.messages.map(({ readyAt }) => readyAt)).toEqual([now + 10 * MINUTE]);
  });

  it('starts at once when its instant has passed', async () => {
    const { job, now } = await submitted({ start: { at: 1 } });
    expect(await job()).toMatchObject({ status: 'queued', deadlineAt: now + 2 * HOUR });
    expect(await job()).not.toHaveProperty('startAt');
  });

  it('ends at once when it is cancelled before, and runs at once when it is retried then', async () => {
    const { world, own, jobId, job } = await submitted(delay);
    expect(await cancelOwnJob(world.deps, own)).toMatchObject({ outcome: 'done' });
    const cancelled = await job();
    expect(cancelled).toMatchObject({ status: 'cancelled', epoch: 0 });
    for (const name of ['dueAt', 'wakeAt', 'waitingFor']) {
      expect(cancelled).not.toHaveProperty(name);
    }
    world.clock.jump(MINUTE);
    await restartJob(world.deps, own);
    expect(await job()).toMatchObject({
      status: 'queued',
      deadlineAt: world.clock.now() + 2 * HOUR,
    });
    expect((await world.drive(jobId)).status).toBe('succeeded');
  });

  it('does not start by a signal, and has it when it starts', async () => {
    const asking = agent((ctx) => ctx.waitForSignal('go', { schema: z.unknown() }));
    const { world, own, jobId, job, now } = await submitted(delay, { of: asking });
    const sent = await signalJob(world.deps, { ...own, name: 'go', body: 'early' });
    expect(sent).toMatchObject({ outcome: 'done' });
    await world.rounds(3);
    expect(await job()).toMatchObject({ status: 'waiting', waitingFor: 'start', wakeups: 1 });

    const { status, startedAt = 0 } = await world.drive(jobId);

    expect(status).toBe('succeeded');
    expect(startedAt).toBeGreaterThanOrEqual(now + 10 * MINUTE);
    expect(await world.result(jobId)).toBe('early');
  });

  it('waits on when it is resumed before, also when the pause has used up its message', async () => {
    const { world, own, jobId, job, now } = await submitted({ start: { delayMs: 2 * HOUR } });
    await pauseJob(world.deps, own);
    expect(await job()).toMatchObject({ status: 'waiting', paused: true });
    world.clock.jump(2 * HOUR - 5 * MINUTE);
    await resumeJob(world.deps, own);

    expect(await job()).toMatchObject({ status: 'waiting', dueAt: now + 2 * HOUR });
    expect(world.queue.messages.map(({ readyAt }) => readyAt)).toEqual([now + 2 * HOUR]);
    const { startedAt = 0 } = await world.drive(jobId);
    expect(startedAt).toBeGreaterThanOrEqual(now + 2 * HOUR);
  });

  it('starts in time when it is resumed by a clock that is behind the one that saw it due', async () => {
    const { world, own, jobId, now } = await submitted(delay);
    await pauseJob(world.deps, own);
    world.clock.jump(10 * MINUTE + 1_000);
    await world.sweep();
    const behind = new VirtualClock(now + 10 * MINUTE - 1_000);
    await resumeJob({ ...world.deps, clock: behind }, own);

    expect(await world.job(jobId)).toMatchObject({ status: 'waiting', dueAt: now + 10 * MINUTE });
  });

  it('does not start while it is paused, and starts when it is resumed after its time', async () => {
    const { world, own, jobId, job } = await submitted(delay);
    await pauseJob(world.deps, own);
    world.clock.jump(HOUR);
    await world.rounds(3);
    expect(await job()).toMatchObject({ status: 'waiting', epoch: 0 });
    await resumeJob(world.deps, own);
    expect((await world.drive(jobId)).status).toBe('succeeded');
  });

  it('is kept as long after its deadline as any other, and never longer than payloads', async () => {
    const until = async (asked: Partial<Submission>, of = quick) => {
      const { job, now } = await submitted(asked, { of });
      const { expiresAtSeconds, deadlineAt } = await job();
      expect(expiresAtSeconds * 1_000).toBeGreaterThanOrEqual(deadlineAt + 90 * DAY - SECOND);
      return (expiresAtSeconds * 1_000 - now) / DAY;
    };
    const long = agent(() => Promise.resolve(1), { maxDuration: '400d' });
    expect(await until({})).toBeCloseTo(90 + 2 / 24, 3);
    expect(await until(delay)).toBeCloseTo(91 + 2 / 24, 3);
    const tight = { start: { delayMs: 300 * DAY }, limits: { maxDurationMs: DAY } };
    expect(await until(tight, long)).toBe(490);
  });

  it.each<{ name: string; asked: Partial<Submission>; says: RegExp }>([
    { name: '366 days', asked: { start: { delayMs: 366 * DAY } }, says: /^delay .*365 days/ },
    {
      name: 'an instant in two years',
      asked: { start: { at: Date.UTC(2032, 0, 1) } },
      says: /^startAt .*365 days/,
    },
    {
      name: 'more than 400 days in all',
      asked: { start: { delayMs: 364 * DAY } },
      says: /^delay and the 100d that .* 400 days.*limits.maxDuration/,
    },
  ])('is refused for $name', async ({ asked, says }) => {
    const [fault] = await faultsOf(
      asked,
      agent(() => Promise.resolve(1), { maxDuration: '100d' }),
    );
    expect(fault).toMatch(says);
  });
});

describe('limits of one job', () => {
  it('end it before those of its agent would, and say whose they are', async () => {
    const many = agent(async (ctx) => {
      for (let n = 0; n < 5; n++) await ctx.step(`step-${n}`, () => n);
    });
    const { world, jobId } = await submitted({ limits: { maxSteps: 3 } }, { of: many });
    expect(await world.drive(jobId)).toMatchObject({
      status: 'failed',
      limits: { maxSteps: 3 },
      error: { code: 'steps_exceeded', message: expect.stringContaining('maxSteps of the job') },
      totals: { stepsSucceeded: 3 },
    });
  });

  it('set its deadline, which a retry and a fork go by, too', async () => {
    const sleepy = agent((ctx) => ctx.sleep('nap', '90m'));
    const asked = { limits: { maxDurationMs: HOUR } };
    const { world, jobId, own, job, now } = await submitted(asked, { of: sleepy });
    expect(await job()).toMatchObject({ deadlineAt: now + HOUR });
    const failed = await world.drive(jobId);
    expect(failed).toMatchObject({
      error: { code: 'duration_exceeded', message: expect.stringContaining('of the job') },
    });
    await restartJob(world.deps, own);
    expect(await job()).toMatchObject({
      deadlineAt: world.clock.now() + HOUR,
      limits: { maxDurationMs: HOUR },
    });
  });

  it('go with a fork', async () => {
    const { world, jobId, own } = await submitted({ limits: { maxSteps: 7 } });
    await world.drive(jobId);
    const fork = await forkJob(world.deps, { ...own, fromStep: 'work' });
    expect(fork).toMatchObject({ outcome: 'done', job: { limits: { maxSteps: 7 } } });
  });

  it('are those of the tenant where they are tighter', async () => {
    const { job, now } = await submitted({
      limits: { maxSteps: 7, maxDurationMs: MINUTE },
      tenantLimits: { maxSteps: 20, maxDurationMs: HOUR },
    });
    expect(await job()).toMatchObject({
      limits: { maxSteps: 7, maxDurationMs: MINUTE },
      deadlineAt: now + MINUTE,
    });
    const unasked = await submitted({ tenantLimits: { maxSteps: 20, maxDurationMs: HOUR } });
    expect((await unasked.job()).limits).toEqual({ maxDurationMs: HOUR });
  });

  it('cost nothing where the agent is as tight', async () => {
    const { job } = await submitted({ limits: { maxSteps: 10 }, tenantLimits: {} });
    expect(await job()).not.toHaveProperty('limits');
  });

  it.each<{ asked: Partial<Submission>; says: string[] }>([
    {
      asked: { limits: { maxSteps: 11, maxDurationMs: 3 * HOUR } },
      says: [
        'limits.maxSteps is 11: the agent allows 10 at most',
        'limits.maxDuration is 3h: the agent allows 2h at most',
      ],
    },
    {
      asked: { limits: { maxSteps: 8 }, tenantLimits: { maxSteps: 5 } },
      says: ['limits.maxSteps is 8: the tenant allows 5 at most'],
    },
    {
      asked: { limits: { maxDurationMs: 500 } },
      says: ['limits.maxDuration is 500ms: a job needs 1s at least'],
    },
  ])('are refused when they are $asked', async ({ asked, says }) => {
    expect(await faultsOf(asked)).toEqual(says);
  });

  it('are part of what a key stands for', async () => {
    const world = new EngineWorld([quick]);
    const fingerprints = await Promise.all(
      [{}, { limits: { maxSteps: 5 } }, { start: { delayMs: 1 } }, { start: { at: 1 } }].map(
        async (asked) => {
          const submission = { tenantId: 'acme', agent: 'subject', input: {}, ...asked };
          const check = await checkSubmission(world.deps, submission);
          return check.valid ? check.submission.fingerprint : '';
        },
      ),
    );
    expect(new Set(fingerprints).size).toBe(4);
  });
});

it.each([
  [0, '0ms'],
  [250, '250ms'],
  [1_000, '1s'],
  [90_000, '90s'],
  [7_200_000, '2h'],
  [86_400_000, '1d'],
  [86_400_001, '86400001ms'],
])('%d ms are written %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
