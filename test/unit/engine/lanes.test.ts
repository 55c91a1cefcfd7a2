import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { workerHandler } from '../../../lambdas/events/worker-handler.ts';
import { MemoryJobQueue } from '../../../src/adapters/memory/job-queue.ts';
import { defineAgent } from '../../../src/agent/index.ts';
import { DEFAULT_LANE } from '../../../src/core/ports/job-queue.ts';
import { EngineWorld } from '../../support/engine-world.ts';

const agentNamed = (name: string, limits = {}) =>
  defineAgent({
    name,
    input: z.unknown(),
    output: z.unknown(),
    limits,
    run: (ctx) => ctx.step('only', () => 'done'),
  });

/** A world with a lane `heavy` for the agent `report`, and the worker of one lane in it. */
function worldWith(lane: string, agents: readonly string[] = []) {
  const world = new EngineWorld([
    agentNamed('report', { maxStepTimeout: '10m' }),
    agentNamed('echo'),
  ]);
  const queue = new MemoryJobQueue(world.clock, { report: 'heavy' });
  const logged: string[] = [];
  const telemetry = {
    ...world.deps.telemetry,
    log: (level: string, message: string) => void logged.push(`${level}: ${message}`),
  };
  Object.assign(world.deps, { queue, telemetry });
  const handle = workerHandler({
    engine: world.deps,
    leaseMs: 60_000,
    lane: { name: lane, agents },
    isIsolated: ({ eventSourceARN }) => eventSourceARN === 'isolation',
    returnMessage: () => Promise.resolve(),
    flush: () => undefined,
  });
  const invoke = (hints: readonly object[], { timeoutMs = 299_990, from = 'jobs' } = {}) =>
    world.settle(
      handle(
        {
          Records: hints.map((hint, index) => ({
            messageId: String(index),
            body: JSON.stringify(hint),
            eventSourceARN: from,
          })),
        } as Parameters<typeof handle>[0],
        { awsRequestId: 'r', getRemainingTimeInMillis: () => timeoutMs },
      ),
    );
  return { world, queue, logged, invoke };
}

const hintOf = (jobId: string, agent?: string) => ({
  v: 1,
  jobId,
  tenantId: 'acme',
  reason: 'submitted',
  ...(agent === undefined ? {} : { agent }),
});

describe('a hint of another lane', () => {
  it('is handed over unclaimed, and its neighbours run', async () => {
    const { world, queue, invoke } = worldWith(DEFAULT_LANE);
    const [stray, own] = [await world.submit('report'), await world.submit('echo')];

    await invoke([hintOf(stray, 'report'), hintOf(own, 'echo')]);

    expect(await world.job(stray)).toMatchObject({ status: 'queued', epoch: 0 });
    expect((await world.job(own)).status).toBe('succeeded');
    expect(queue.messages).toEqual([
      expect.objectContaining({
        lane: 'heavy',
        isolated: false,
        hint: { ...hintOf(stray, 'report'), reason: 'strayed' },
      }),
    ]);
  });

  it('stays one of a job that must run alone', async () => {
    const { world, queue, invoke } = worldWith('heavy');
    const jobId = await world.submit('echo', {}, { crashes: 1 });

    await invoke([hintOf(jobId, 'echo')], { from: 'isolation' });

    expect(queue.messages).toMatchObject([{ lane: DEFAULT_LANE, isolated: true }]);
  });

  it('that its queue refuses is made good by the sweeper', async () => {
    const { world, queue, invoke } = worldWith(DEFAULT_LANE);
    const jobId = await world.submit('report');
    const send = queue.send.bind(queue);
    queue.send = () => Promise.reject(new Error('the queue is gone'));
    await invoke([hintOf(jobId, 'report')]);
    queue.send = send;

    world.clock.jump(31_000);
    await world.sweep();

    expect(queue.messages).toMatchObject([{ lane: 'heavy', hint: { jobId, reason: 'overdue' } }]);
  });

  it('runs where it is when it is of before there were lanes', async () => {
    const { world, invoke } = worldWith(DEFAULT_LANE);
    const jobId = await world.submit('echo');

    await invoke([hintOf(jobId)]);

    expect((await world.job(jobId)).status).toBe('succeeded');
  });
});

describe('a lane', () => {
  it('that is gone leaves its jobs to the sweeper, which drives them into the default one', async () => {
    const { world } = worldWith('heavy');
    const jobId = await world.submit('report');
    const queue = new MemoryJobQueue(world.clock);
    Object.assign(world.deps, { queue });

    world.clock.jump(31_000);
    await world.sweep();

    expect(queue.messages).toMatchObject([{ lane: DEFAULT_LANE, hint: { jobId } }]);
  });

  it('refuses agents whose steps its own time slices cannot hold, and says nothing of those of others', async () => {
    const short = worldWith('heavy', ['report']);
    await short.invoke([]);
    const long = worldWith('heavy', ['report']);
    await long.invoke([], { timeoutMs: 899_990 });
    const elsewhere = worldWith(DEFAULT_LANE);
    await elsewhere.invoke([]);

    expect(short.logged).toEqual([expect.stringMatching(/^error: agent "report" is refused/)]);
    expect([...long.logged, ...elsewhere.logged]).toEqual([]);
  });

  it('warns of an agent that no registry has', async () => {
    const { logged, invoke } = worldWith('heavy', ['report', 'reprot']);

    await invoke([], { timeoutMs: 899_990 });

    expect(logged).toEqual([expect.stringMatching(/^warn: workers\.heavy\.agents names an agent/)]);
  });
});
