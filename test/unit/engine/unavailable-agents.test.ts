import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { workerHandler } from '../../../lambdas/events/worker-handler.ts';
import {
  type Agent,
  type AgentContext,
  type AgentLimits,
  defineAgent,
  defineRegistry,
} from '../../../src/agent/index.ts';
import { testAgent } from '../../../src/agent/testing/index.ts';
import { cancelOwnJob, pauseJob, resumeJob } from '../../../src/core/commands/control-job.ts';
import { forkJob } from '../../../src/core/commands/fork-job.ts';
import { restartJob } from '../../../src/core/commands/restart-job.ts';
import { signalJob } from '../../../src/core/commands/signal-job.ts';
import { reclaim } from '../../../src/core/job/transitions.ts';
import { DEFAULT_LANE } from '../../../src/core/ports/job-queue.ts';
import { EngineWorld } from '../../support/engine-world.ts';

const HOUR_MS = 3_600_000;

interface More {
  readonly limits?: AgentLimits;
  readonly onCancel?: (ctx: AgentContext) => Promise<void>;
}

function agentOf(run: (ctx: AgentContext) => Promise<unknown>, more: More = {}): Agent {
  const any = z.unknown();
  return defineAgent({ name: 'subject', input: any, output: any, run, ...more });
}

function deploy(world: EngineWorld, ...agents: Agent[]): void {
  Object.assign(world.deps, { agents: defineRegistry(...agents) });
}

const log: string[] = [];
const waits = agentOf(
  async (ctx) => {
    await ctx.step('draft', () => 'draft');
    const schema = z.object({ ok: z.boolean() });
    return ctx.waitForSignal('ok', { schema });
  },
  { onCancel: (ctx) => ctx.step('undo', () => void log.push('undone')) },
);
const fails = agentOf(async (ctx) => {
  await ctx.step('draft', () => 'draft');
  throw new Error('no');
});
/** Asks for more than a slice of 300 s gives. */
const greedy = agentOf((ctx) => ctx.step('only', () => 'done'), {
  limits: { maxStepTimeout: '10m' },
});

async function vanished(agent: Agent, limits?: { untilFinal: boolean }) {
  const world = new EngineWorld([agent]);
  const jobId = await world.submit('subject');
  if (limits?.untilFinal === true) await world.drive(jobId);
  else await world.invoke(jobId);
  deploy(world);
  return { world, jobId, own: { jobId, tenantId: 'acme' } };
}

describe('a job whose agent is not deployed', () => {
  it.each([
    { when: 'before a worker noticed', notice: false },
    { when: 'while it waits for its agent', notice: true },
  ])('is ended by a cancel $when, without its clean-up', async ({ notice }) => {
    log.length = 0;
    const { world, jobId, own } = await vanished(waits);
    if (notice) {
      await signalJob(world.deps, { ...own, name: 'other', body: 1 });
      await world.rounds(2);
      expect(await world.job(jobId)).toMatchObject({ waitingFor: 'agent_missing' });
    }
    const askedAt = world.clock.now();

    await cancelOwnJob(world.deps, own);
    const job = await world.drive(jobId);

    expect(job).toMatchObject({ status: 'cancelled' });
    expect((job.finishedAt ?? Infinity) - askedAt).toBeLessThan(1_000);
    expect((await world.entries(jobId)).at(-1)).toMatchObject({
      type: 'job.cancelled',
      cleanUpError: { code: 'agent_missing' },
    });
    expect(log).toEqual([]);
  });

  it('is ended by a cancel that comes while a worker is about to let it wait', async () => {
    const { world, jobId, own } = await vanished(waits);
    await signalJob(world.deps, { ...own, name: 'other', body: 1 });
    const { jobs } = world.deps;
    let isAsked = false;
    const meanwhile = {
      ...jobs,
      updateJob: async (...[id, update]: Parameters<typeof jobs.updateJob>) => {
        if (update.set?.waitingFor === 'agent_missing' && !isAsked) {
          isAsked = true;
          await cancelOwnJob(world.deps, own);
        }
        return jobs.updateJob(id, update);
      },
    };
    await world.settle(world.start({ ...world.deps, jobs: meanwhile }, jobId));

    expect(await world.job(jobId)).toMatchObject({ status: 'cancelled' });
  });

  it('never had a worker and is cancelled: it ends at once', async () => {
    const world = new EngineWorld([]);
    const jobId = await world.submit('subject');

    const result = await cancelOwnJob(world.deps, { jobId, tenantId: 'acme' });

    expect(result?.job.status).toBe('cancelled');
  });

  it('after a crash is fenced off before it is cancelled', async () => {
    const { world, jobId, own } = await vanished(waits);
    await signalJob(world.deps, { ...own, name: 'other', body: 1 });
    await world.deps.jobs.updateJob(jobId, {
      condition: { attribute: 'status', is: '=', value: 'queued' },
      set: { status: 'running', owner: 'gone', ownerUntil: 0 },
    });
    await world.deps.jobs.updateJob(jobId, reclaim('gone', world.clock.now()));
    await cancelOwnJob(world.deps, own);

    expect(await world.drive(jobId)).toMatchObject({ status: 'cancelled' });
    const types = (await world.entries(jobId)).map(({ type }) => type);
    expect(types.slice(-2)).toEqual(['attempt.started', 'job.cancelled']);
  });

  it('is held by a pause, and waits for its agent again when it is resumed', async () => {
    const { world, jobId, own } = await vanished(waits);
    await pauseJob(world.deps, own);
    await world.advanceTo(world.clock.now() + HOUR_MS);
    const { epoch, paused } = await world.job(jobId);
    expect(paused).toBe(true);

    await resumeJob(world.deps, own);
    await world.rounds(2);

    expect(await world.job(jobId)).toMatchObject({
      status: 'waiting',
      waitingFor: 'agent_missing',
      epoch: epoch + 1,
    });
  });

  it('is retried and forked all the same, and goes on when its agent is back', async () => {
    const { world, jobId, own } = await vanished(fails, { untilFinal: true });

    expect(await restartJob(world.deps, own)).toMatchObject({ outcome: 'done' });
    await world.rounds(2);
    expect(await world.job(jobId)).toMatchObject({ waitingFor: 'agent_missing', generation: 2 });

    deploy(
      world,
      agentOf((ctx) => ctx.step('draft', () => 'another')),
    );
    expect(await world.drive(jobId)).toMatchObject({ status: 'succeeded' });
    deploy(world);
    const forked = await forkJob(
      { ...world.deps },
      { ...own, fromStep: 'draft', idempotencyKey: 'f' },
    );
    if (forked?.outcome !== 'done') throw new Error('no fork');
    await world.rounds(2);
    expect(await world.job(forked.job.jobId)).toMatchObject({ waitingFor: 'agent_missing' });
  });

  it('ends at its deadline', async () => {
    const { world, jobId } = await vanished(
      agentOf((ctx) => ctx.sleep('nap', '1h'), { limits: { maxDuration: '2h' } }),
    );
    const job = await world.drive(jobId);

    expect(job).toMatchObject({ status: 'failed', error: { code: 'duration_exceeded' } });
    expect((job.finishedAt ?? Infinity) - job.createdAt).toBeLessThan(2 * HOUR_MS + 60_000);
  });

  it('ends as its last worker recorded it, and had no time to write', async () => {
    const { world, jobId } = await vanished(waits);
    const totals = { progressReports: 0, stepsSucceeded: 1, stepsFailed: 0 };
    const { expiresAtSeconds } = await world.job(jobId);
    const entries = [{ type: 'job.cancelled', at: 0, attempt: 1 }] as const;
    const seq = 3;
    await world.deps.jobs.appendPage({
      ...{ jobId, generation: 1, seq, entries, totals, expiresAtSeconds },
    });
    await world.deps.jobs.updateJob(jobId, {
      condition: { attribute: 'status', is: '=', value: 'waiting' },
      set: { status: 'queued', dueAt: world.clock.now() },
    });

    expect((await world.drive(jobId)).status).toBe('cancelled');
  });
});

describe('an agent that declares a longer step than a slice can hold', () => {
  it.each([
    { maxStepTimeout: '285s', invocation: '300s', refused: false },
    { maxStepTimeout: '286s', invocation: '300s', refused: true },
    { maxStepTimeout: '286s', invocation: '301s', refused: false },
    { maxStepTimeout: '885s', invocation: '900s', refused: false },
    { maxStepTimeout: '886s', invocation: '900s', refused: true },
    { maxStepTimeout: '27s', invocation: '30s', refused: false },
    { maxStepTimeout: '27001ms', invocation: '30s', refused: true },
    { maxStepTimeout: undefined, invocation: '30s', refused: false },
  ] as const)(
    'of $maxStepTimeout in invocations of $invocation: refused is $refused',
    ({ maxStepTimeout, invocation, refused }) => {
      const limits = maxStepTimeout === undefined ? {} : { maxStepTimeout };
      const agent = agentOf((ctx) => ctx.step('only', () => 1), { limits });
      const test = () => testAgent(agent, { invocation });

      if (!refused) expect(test).not.toThrow();
      else expect(test).toThrow(expect.objectContaining({ code: 'step_timeout_too_long' }));
    },
  );

  it('is refused in a test, by a message that says what, how much, and what to raise', () => {
    expect(() => testAgent(greedy)).toThrow(
      /agent "subject" .* 600000 ms.* 285000 ms.*worker\.timeoutSeconds/,
    );
  });

  it('as a sub-agent is refused in a test, too', () => {
    const child = defineAgent({
      ...greedy,
      name: 'child',
      limits: { maxStepTimeout: '10m' },
    });
    expect(() => testAgent(waits, { agents: [child] })).toThrow(/agent "child"/);
  });

  it('is named once by each worker when it begins, and takes no other agent down', async () => {
    const other = defineAgent({
      name: 'other',
      input: z.unknown(),
      output: z.unknown(),
      run: (ctx) => ctx.step('only', () => 'done'),
    });
    const world = new EngineWorld([greedy, other]);
    const logged: string[] = [];
    const counted: string[] = [];
    const telemetry = {
      ...world.deps.telemetry,
      log: (level: string, message: string) => void logged.push(`${level}: ${message}`),
      count: (name: string) => void counted.push(name),
    };
    const handle = workerHandler({
      engine: { ...world.deps, telemetry },
      leaseMs: 60_000,
      lane: { name: DEFAULT_LANE, agents: [] },
      isIsolated: () => false,
      returnMessage: () => Promise.resolve(),
      flush: () => undefined,
    });
    const jobId = await world.submit('other');
    const body = JSON.stringify({ v: 1, jobId, tenantId: 'acme', reason: 'submitted' });
    const event = { Records: [{ messageId: 'm', body }] } as Parameters<typeof handle>[0];
    const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 299_990 };

    await world.settle(handle(event, context));
    await world.settle(handle(event, context));

    expect((await world.job(jobId)).status).toBe('succeeded');
    const named = logged.filter((line) => line.includes('agent "subject" is refused'));
    expect(named).toHaveLength(1);
    expect(named[0]).toMatch(/^error: .*worker\.timeoutSeconds/);
    expect(counted.filter((name) => name === 'AgentRefused')).toHaveLength(1);
  });

  it('leaves its jobs waiting with a reason and a metric, until a deployment has slices for it', async () => {
    const world = new EngineWorld([greedy]);
    const counted: string[] = [];
    const telemetry = { ...world.deps.telemetry, count: (name: string) => void counted.push(name) };
    Object.assign(world.deps, { telemetry });
    const jobId = await world.submit('subject');

    await world.invoke(jobId);
    await world.rounds(5);

    expect(await world.job(jobId)).toMatchObject({
      status: 'waiting',
      waitingFor: 'agent_refused',
      crashes: 0,
    });
    expect(counted).toContain('AgentRefused');

    deploy(
      world,
      agentOf((ctx) => ctx.step('only', () => 'done'), { limits: { maxStepTimeout: '200s' } }),
    );
    expect(await world.drive(jobId)).toMatchObject({ status: 'succeeded' });
  });

  it('does not keep a user from cancelling its jobs', async () => {
    const world = new EngineWorld([greedy]);
    const jobId = await world.submit('subject');
    await world.invoke(jobId);
    await cancelOwnJob(world.deps, { jobId, tenantId: 'acme' });

    expect(await world.drive(jobId)).toMatchObject({ status: 'cancelled' });
    expect((await world.entries(jobId)).at(-1)).toMatchObject({
      cleanUpError: { code: 'step_timeout_too_long' },
    });
  });
});

describe('the timeout of a step', () => {
  it.each([
    { name: 'within what the agent declares', timeout: '100s', code: undefined },
    { name: 'beyond what the agent declares', timeout: '101s', code: 'step_timeout_too_long' },
    { name: 'not given, where the default is more than declared', code: 'step_timeout' },
  ] as const)('$name', async ({ code, ...given }) => {
    const isHung = !('timeout' in given);
    const agent = agentOf(
      (ctx) =>
        ctx.step(
          'only',
          () => (isHung ? new Promise<string>(() => undefined) : Promise.resolve('done')),
          { retries: 0, ...('timeout' in given ? { timeout: given.timeout } : {}) },
        ),
      { limits: { maxStepTimeout: isHung ? '2s' : '100s' } },
    );
    const test = testAgent(agent, { patience: '1ms' });
    const job = await test.submit({});
    const begunAt = test.now;

    const ended = await job.end();

    expect(ended.error?.cause?.code).toBe(code);
    if (isHung) expect(test.now - begunAt).toBeLessThan(5_000);
  });
});

it.each([
  { field: 'maxStepTimeout', value: '0s' },
  { field: 'maxCleanUp', value: '0s' },
  { field: 'maxCleanUp', value: '999ms' },
  { field: 'maxDuration', value: '999ms' },
] as const)('limits.$field of $value is refused when the agent is defined', ({ field, value }) => {
  expect(() => agentOf(() => Promise.resolve(1), { limits: { [field]: value } })).toThrow(
    expect.objectContaining({ code: 'invalid_option' }),
  );
});
