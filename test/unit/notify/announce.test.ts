import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { defineAgent, TerminalError } from '../../../src/agent/index.ts';
import type { EngineDeps, TenantEndpoint } from '../../../src/core/engine/engine-deps.ts';
import { cancelOwnJob } from '../../../src/core/commands/control-job.ts';
import { restartJob } from '../../../src/core/commands/restart-job.ts';
import type { Job } from '../../../src/core/job/job.ts';
import type { Delivery } from '../../../src/core/notify/delivery.ts';
import type { StatusChange } from '../../../src/core/ports/event-bus.ts';
import { EngineWorld } from '../../support/engine-world.ts';

const plain = defineAgent({
  name: 'plain',
  input: z.unknown(),
  output: z.unknown(),
  run: (ctx) => ctx.step('only', () => Promise.resolve('done')),
});
const broken = defineAgent({
  name: 'broken',
  input: z.unknown(),
  output: z.unknown(),
  run: (ctx) => ctx.step('only', () => Promise.reject(new TerminalError('no'))),
});
const approval = defineAgent({
  name: 'approval',
  input: z.unknown(),
  output: z.unknown(),
  run: async (ctx) => {
    const schema = z.unknown();
    const [first] = await Promise.all([
      ctx.waitForSignal('ask', { schema }),
      ctx.waitForSignal('confirm', { schema }),
    ]);
    return { first };
  },
});
const parent = defineAgent({
  name: 'parent',
  input: z.unknown(),
  output: z.unknown(),
  run: async (ctx) => ctx.join([await ctx.spawn('child', 'plain', {})]),
});

const URL = 'https://example.com/hook';
const own = (jobId: string) => ({ jobId, tenantId: 'acme' });

function newWorld(parts: Partial<EngineDeps> = {}) {
  const world = new EngineWorld([plain, broken, approval, parent]);
  Object.assign(world.deps, parts);
  const eventsOf = async (jobId: string): Promise<string[]> =>
    (await world.deps.jobs.listDeliveries(jobId)).map(({ event }) => event).sort();
  return { world, eventsOf };
}

describe('a job that somebody wants to hear of', () => {
  it.each([
    ['plain', 'job.succeeded', 'succeeded'],
    ['broken', 'job.failed', 'failed'],
  ])('%s owes %s once it is %s, and then nothing more', async (agent, event, status) => {
    const { world } = newWorld();
    const jobId = await world.submit(agent, {}, { notify: { url: URL } });
    await world.invoke(jobId);

    const job = await world.job(jobId);
    const [delivery, ...others] = await world.deps.jobs.listDeliveries(jobId);
    expect(job).toMatchObject({ status });
    expect(job.duties).toBeUndefined();
    expect(others).toEqual([]);
    expect(delivery).toMatchObject({ event, url: URL, status: 'pending', generation: 1 });
    expect(delivery?.job).toMatchObject({ jobId, status, finishedAt: job.finishedAt });
    expect(world.notifications.messages.map(({ hint }) => hint)).toEqual([
      { v: 1, jobId, tenantId: 'acme', deliveryId: delivery?.deliveryId },
    ]);
  });

  it('that nobody has claimed owes its cancel', async () => {
    const { world, eventsOf } = newWorld();
    const jobId = await world.submit('plain', {}, { notify: { url: URL } });
    await cancelOwnJob(world.deps, own(jobId));
    expect(await eventsOf(jobId)).toEqual(['job.cancelled']);
  });

  it('is told of only as it was asked', async () => {
    const { world, eventsOf } = newWorld();
    const notify = { url: URL, events: ['failed', 'cancelled'] } as const;
    const jobId = await world.submit('plain', {}, { notify });
    await world.invoke(jobId);
    expect(await eventsOf(jobId)).toEqual([]);
    expect(world.notifications.messages).toEqual([]);
  });

  it('keeps nothing of its input, of secrets of its submission, or of its hints in a notification', async () => {
    const { world } = newWorld();
    const jobId = await world.submit(
      'plain',
      { secret: 's3cret' },
      { notify: { url: URL }, hints: ['s3cret'] },
    );
    await world.invoke(jobId);
    expect(JSON.stringify(await world.deps.jobs.listDeliveries(jobId))).not.toContain('s3cret');
  });

  it('tells of the new end after a retry, under another id', async () => {
    const { world } = newWorld();
    const jobId = await world.submit('broken', {}, { notify: { url: URL } });
    await world.invoke(jobId);
    await restartJob(world.deps, own(jobId));
    await world.invoke(jobId);

    const deliveries = await world.deps.jobs.listDeliveries(jobId);
    expect(deliveries.map(({ generation }) => generation).sort()).toEqual([1, 2]);
    expect(new Set(deliveries.map(({ deliveryId }) => deliveryId)).size).toBe(2);
  });

  it('is told of although the worker dies at any of its writes, under one id', async () => {
    const trial = newWorld();
    const undisturbed = await trial.world.submit('plain', {}, { notify: { url: URL } });
    await trial.world.invoke(undisturbed);
    const [{ deliveryId } = { deliveryId: '' }] =
      await trial.world.deps.jobs.listDeliveries(undisturbed);

    for (let call = 1; call <= 12; call++) {
      const { world } = newWorld();
      const jobId = await world.submit('plain', {}, { notify: { url: URL } });
      await world.settle(world.start(world.failingAt(call), jobId)).catch(() => undefined);
      await world.drive(jobId);
      await world.rounds(20);

      const ids = (await world.deps.jobs.listDeliveries(jobId)).map((each) => each.deliveryId);
      // The ids of these worlds' jobs are the same.
      expect({ call, ids }).toEqual({ call, ids: [deliveryId] });
    }
  });
});

describe('a job that begins to wait for signals', () => {
  const notify = { url: URL, events: ['waiting'] } as const;

  it('tells of each of them, with what it waits for', async () => {
    const { world } = newWorld();
    const jobId = await world.submit('approval', {}, { notify });
    await world.invoke(jobId);

    const deliveries = await world.deps.jobs.listDeliveries(jobId);
    expect(deliveries.map(({ event }) => event)).toEqual(['job.waiting', 'job.waiting']);
    expect(deliveries.map(({ job }) => job.waitingOn).sort()).toEqual(['ask', 'confirm']);
    for (const { job } of deliveries) {
      expect(job).toMatchObject({ status: 'waiting', waitingFor: 'signal' });
    }
  });

  it('tells of a wait once, however often it is woken for something else', async () => {
    const { world } = newWorld();
    const jobId = await world.submit('approval', {}, { notify });
    await world.invoke(jobId);
    await world.deps.jobs.putSignal({
      jobId,
      name: 'ask',
      signalId: 's1',
      body: { kind: 'inline', json: '1' },
      receivedAt: world.clock.now(),
      expiresAtSeconds: 1e11,
    });
    for (let time = 0; time < 3; time++) {
      await world.deps.jobs.updateJob(jobId, {
        condition: { all: [] },
        set: { status: 'queued' },
        add: { wakeups: 1 },
      });
      await world.invoke(jobId);
    }
    expect((await world.job(jobId)).status).toBe('waiting');
    expect(await world.deps.jobs.listDeliveries(jobId)).toHaveLength(2);
  });

  it('says nothing when nobody asked for it', async () => {
    const { world, eventsOf } = newWorld();
    const events = ['succeeded'] as const;
    const jobId = await world.submit('approval', {}, { notify: { url: URL, events } });
    await world.invoke(jobId);
    expect(await eventsOf(jobId)).toEqual([]);
  });
});

describe('endpoints of a tenant', () => {
  const endpoints: TenantEndpoint[] = [
    { id: 'ep_1', url: 'https://one.example/' },
    { id: 'ep_2', url: 'https://two.example/', events: ['failed'] },
  ];
  const asked: string[] = [];
  const tenantEndpoints = (tenantId: string) => {
    asked.push(tenantId);
    return Promise.resolve(endpoints);
  };

  it('are told of jobs that were submitted when there were any, beside the endpoint of the job', async () => {
    const { world } = newWorld({ tenantEndpoints });
    const parts = { notify: { url: URL }, notifyTenant: true } as const;
    const jobId = await world.submit('plain', {}, parts);
    await world.invoke(jobId);

    const deliveries = await world.deps.jobs.listDeliveries(jobId);
    expect(deliveries.map(({ url }) => url).sort()).toEqual([URL, 'https://one.example/']);
    expect(deliveries.map(({ endpointId }) => endpointId).sort()).toEqual(['ep_1', 'job']);
  });

  it('are not even looked up for other jobs, nor for sub-jobs', async () => {
    asked.length = 0;
    const { world } = newWorld({ tenantEndpoints });
    const lone = await world.submit('plain');
    await world.drive(lone);
    expect(asked).toEqual([]);

    const jobId = await world.submit('parent', {}, { notifyTenant: true });
    await world.drive(jobId);
    const child = world.jobs.find(({ parentId }) => parentId === jobId) as Job;
    expect(child.status).toBe('succeeded');
    expect(await world.deps.jobs.listDeliveries(child.jobId)).toEqual([]);
    const told: Delivery[] = await world.deps.jobs.listDeliveries(jobId);
    expect(told.map(({ url }) => url)).toEqual(['https://one.example/']);
  });
});

describe('the event bus', () => {
  it('gets the way of a job and, at least once, its end', async () => {
    const changes: StatusChange[] = [];
    let fails = 1;
    const { world } = newWorld({
      events: {
        put: (change) => {
          if (change.change === 'succeeded' && fails-- > 0)
            return Promise.reject(new Error('busy'));
          changes.push(change);
          return Promise.resolve();
        },
      },
    });
    const jobId = await world.submit('approval', {}, { metadata: { desk: 'north' } });
    await world.invoke(jobId);
    for (const name of ['ask', 'confirm']) {
      await world.deps.jobs.putSignal({
        jobId,
        name,
        signalId: 's1',
        body: { kind: 'inline', json: '1' },
        receivedAt: world.clock.now(),
        expiresAtSeconds: 1e11,
      });
    }
    await world.deps.jobs.updateJob(jobId, {
      condition: { all: [] },
      set: { status: 'queued' },
      add: { wakeups: 1 },
    });
    await world.invoke(jobId);
    expect((await world.job(jobId)).duties).toEqual(['event']);
    await world.rounds(5);

    expect((await world.job(jobId)).duties).toBeUndefined();
    expect(changes.map(({ change }) => change)).toEqual(['started', 'waiting', 'succeeded']);
    expect(changes.at(-1)).toMatchObject({
      jobId,
      tenantId: 'acme',
      agent: 'approval',
      status: 'succeeded',
      generation: 1,
      metadata: { desk: 'north' },
    });
    expect(JSON.stringify(changes)).not.toMatch(/"(?:input|result)"/);
  });

  it('costs a job nothing when there is none', async () => {
    const { world } = newWorld();
    const jobId = await world.submit('plain');
    await world.invoke(jobId);
    expect((await world.job(jobId)).duties).toBeUndefined();
  });
});
