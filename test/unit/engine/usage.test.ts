import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { memoryUsageStore } from '../../../src/adapters/memory/usage-store.ts';
import { defineAgent } from '../../../src/agent/define-agent.ts';
import { TerminalError } from '../../../src/agent/errors.ts';
import { cancelOwnJob } from '../../../src/core/commands/control-job.ts';
import { forkJob } from '../../../src/core/commands/fork-job.ts';
import { restartJob } from '../../../src/core/commands/restart-job.ts';
import { NO_USAGE, type UsageStore } from '../../../src/core/ports/usage-store.ts';
import { monthOf } from '../../../src/core/tenants/record-usage.ts';
import { EngineWorld } from '../../support/engine-world.ts';

let isFixed = false;

const two = defineAgent({
  name: 'two',
  input: z.object({}),
  output: z.object({}),
  async run(ctx) {
    await ctx.step('first', () => 1);
    await ctx.step('second', () => {
      if (!isFixed) throw new TerminalError('broken');
      return 2;
    });
    return {};
  },
});

/** A world whose invocations count what they end, and how often they write it. */
function usageWorld() {
  const world = new EngineWorld([two]);
  const store = memoryUsageStore();
  let writes = 0;
  const usage: UsageStore = {
    ...store,
    add: (...of) => {
      writes++;
      return store.add(...of);
    },
  };
  const deps = { ...world.deps, usage };
  return {
    world,
    deps,
    invoke: (...jobIds: string[]) => world.settle(world.start(deps, ...jobIds)),
    counted: () => store.read('acme', monthOf(world.clock.now())),
    writes: () => writes,
  };
}

describe('usage of a tenant', () => {
  it('is written once for an invocation, whatever it ends', async () => {
    isFixed = true;
    const { world, invoke, counted, writes } = usageWorld();
    const jobIds = [
      await world.submit('two'),
      await world.submit('two'),
      await world.submit('two'),
    ];

    await invoke(...jobIds);

    expect(await counted()).toEqual({ jobs: { succeeded: 3, failed: 0, cancelled: 0 }, steps: 6 });
    expect(writes()).toBe(1);
  });

  it('counts the steps of a fork that it has done itself', async () => {
    isFixed = true;
    const { world, deps, invoke, counted } = usageWorld();
    const jobId = await world.submit('two');
    await invoke(jobId);
    const fork = await forkJob(deps, { jobId, tenantId: 'acme', fromStep: 'second' });
    if (fork?.outcome !== 'done') throw new Error('the fork was refused');

    await invoke(fork.job.jobId);

    expect(await counted()).toEqual({ jobs: { succeeded: 2, failed: 0, cancelled: 0 }, steps: 3 });
  });

  it('counts a retried job twice, and its steps once', async () => {
    isFixed = false;
    const { world, deps, invoke, counted } = usageWorld();
    const jobId = await world.submit('two');
    await invoke(jobId);
    expect(await counted()).toEqual({ jobs: { succeeded: 0, failed: 1, cancelled: 0 }, steps: 1 });

    isFixed = true;
    await restartJob(deps, { jobId, tenantId: 'acme' });
    await invoke(jobId);

    expect(await counted()).toEqual({ jobs: { succeeded: 1, failed: 1, cancelled: 0 }, steps: 2 });
  });

  it('counts a job that is cancelled before a worker has it', async () => {
    const { world, deps, counted } = usageWorld();
    const jobId = await world.submit('two');

    for (let times = 0; times < 2; times++) await cancelOwnJob(deps, { jobId, tenantId: 'acme' });

    expect(await counted()).toEqual({ jobs: { succeeded: 0, failed: 0, cancelled: 1 }, steps: 0 });
  });

  it('is no reason for a job to fail', async () => {
    isFixed = true;
    const { world, deps } = usageWorld();
    const jobId = await world.submit('two');
    const usage = { add: () => Promise.reject(new Error('the table is busy')) };

    await world.settle(world.start({ ...deps, usage }, jobId));

    expect((await world.job(jobId)).status).toBe('succeeded');
  });

  it('is nothing where nothing ended', async () => {
    const { counted, writes } = usageWorld();
    expect(await counted()).toEqual(NO_USAGE);
    expect(writes()).toBe(0);
  });
});
