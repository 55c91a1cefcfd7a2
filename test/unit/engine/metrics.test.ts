import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { type Agent, type AgentContext, defineAgent } from '../../../src/agent/index.ts';
import type { CoreMetric, Dimensions } from '../../../src/core/ports/telemetry.ts';
import { EngineWorld } from '../../support/engine-world.ts';
import { turns } from '../../support/virtual-clock.ts';

/** What the engine and the sweeper say of a world in numbers. */
class Meters {
  readonly world: EngineWorld;
  readonly #said: { metric: CoreMetric; value: number; split: Dimensions | undefined }[] = [];

  constructor(runs: Readonly<Record<string, (ctx: AgentContext) => Promise<unknown>>>) {
    const any = z.unknown();
    const agents = Object.entries(runs).map(([name, run]): Agent =>
      defineAgent({ name, input: any, output: any, run }),
    );
    this.world = new EngineWorld(agents);
    const say = (metric: CoreMetric, value = 1, split?: Dimensions) => {
      this.#said.push({ metric, value, split });
    };
    const telemetry = { ...this.world.deps.telemetry, count: say, measure: say };
    Object.assign(this.world.deps, { telemetry });
  }

  /** Values of a metric, in the order in which they were said. */
  of(metric: CoreMetric): number[] {
    return this.#about(metric).map(({ value }) => value);
  }

  /** What a metric was split by, each time. */
  splits(metric: CoreMetric): (Dimensions | undefined)[] {
    return this.#about(metric).map(({ split }) => split);
  }

  #about(wanted: CoreMetric) {
    return this.#said.filter(({ metric }) => metric === wanted);
  }

  /** A step of so many milliseconds. */
  async step(ctx: AgentContext, id: string, ms: number): Promise<void> {
    await ctx.step(
      id,
      () => new Promise<void>((resolve) => void this.world.clock.setTimer(ms, resolve)),
    );
  }
}

const agent = 'subject';

describe('a job that succeeds', () => {
  async function healthy(): Promise<Meters> {
    const meters: Meters = new Meters({
      subject: async (ctx) => {
        await meters.step(ctx, 'short', 300);
        await meters.step(ctx, 'long', 700);
      },
    });
    const jobId = await meters.world.submit(agent);
    meters.world.clock.jump(2_500);
    await meters.world.invoke(jobId);
    return meters;
  }

  it('tells how long it waited, its steps and its slice took, and it all together', async () => {
    const meters = await healthy();

    expect(meters.of('QueueWaitMs')).toEqual([2_500]);
    expect(meters.of('StepMs')).toEqual([300, 700]);
    expect(meters.of('SliceMs')).toEqual([1_000]);
    expect(meters.of('EndToEndMs')).toEqual([3_500]);
  });

  it('is counted once where it starts and where it ends, by its agent', async () => {
    const meters = await healthy();

    expect(meters.splits('JobsStarted')).toEqual([{ agent }]);
    expect(meters.splits('JobsSucceeded')).toEqual([{ agent }]);
    expect(meters.of('JobsFailed')).toEqual([]);
  });

  it('shares no time with others: its invocation is one job, always at work', async () => {
    const meters = await healthy();

    expect(meters.of('JobsPerInvocation')).toEqual([1]);
    expect(meters.of('SlotUsePercent')).toEqual([100]);
  });
});

it('the use of slots is what jobs of an invocation worked, of what each could have until the last one ended', async () => {
  const meters: Meters = new Meters({
    quick: (ctx) => meters.step(ctx, 'only', 1_000),
    slow: (ctx) => meters.step(ctx, 'only', 4_000),
  });
  const jobs = [await meters.world.submit('quick'), await meters.world.submit('slow')];
  await meters.world.invoke(...jobs);

  expect(meters.of('JobsPerInvocation')).toEqual([2]);
  expect(meters.of('SlotUsePercent')).toEqual([62.5]);
});

it('a job that waits is counted by what it waits for, and its replay is measured when it goes on', async () => {
  const meters: Meters = new Meters({
    subject: async (ctx) => {
      await meters.step(ctx, 'before', 100);
      await ctx.sleep('nap', '1h');
      await meters.step(ctx, 'after', 100);
    },
  });
  await meters.world.drive(await meters.world.submit(agent));

  expect(meters.splits('JobsSuspended')).toEqual([{ reason: 'sleep' }]);
  expect(meters.of('ReplayMs')).toEqual([0]);
  expect(meters.of('SliceMs')).toHaveLength(2);
  expect(meters.of('JobsStarted')).toEqual([1]);
});

it('a job that fails is counted by its agent and by its code', async () => {
  const meters = new Meters({ subject: () => Promise.reject(new Error('no')) });
  const job = await meters.world.drive(await meters.world.submit(agent));

  expect(meters.splits('JobsFailed')).toEqual([{ agent }]);
  expect(job.error?.code).toBeDefined();
  expect(meters.splits('JobsFailedByCode')).toEqual([{ code: job.error?.code }]);
});

it('a job whose step has no try left is counted among the dead letters, too', async () => {
  const meters: Meters = new Meters({ subject: (ctx) => meters.step(ctx, 'only', 100) });
  meters.world.faults.failStep('only', { tries: 'all' });
  await meters.world.drive(await meters.world.submit(agent));

  expect(meters.splits('JobsFailed')).toEqual([{ agent }]);
  expect(meters.splits('DeadLetters')).toEqual([{ agent }]);
});

it('a straggler that makes room is counted', async () => {
  const meters: Meters = new Meters({
    quick: (ctx) => meters.step(ctx, 'only', 100),
    subject: async (ctx) => {
      for (const id of ['1', '2', '3']) await meters.step(ctx, id, 10_000);
    },
  });
  const quick = await Promise.all([1, 2, 3, 4].map(() => meters.world.submit('quick')));
  await meters.world.invoke(...quick, await meters.world.submit(agent));

  expect(meters.splits('EarlyYields')).toEqual([{ agent }]);
});

describe('a worker that dies', () => {
  it('shows in what the sweeper finds, and in how long its job stood still', async () => {
    const meters: Meters = new Meters({
      subject: async (ctx) => {
        await meters.step(ctx, 'first', 100);
        await meters.step(ctx, 'second', 100);
      },
    });
    meters.world.faults.crash({ step: 'second', when: 'before' });
    await meters.world.drive(await meters.world.submit(agent));

    // The lease of 60 s, of which the first step took a part.
    expect(meters.of('ResumeMs')).toEqual([59_900]);
    expect(meters.splits('SweeperFinds')).toContainEqual({ kind: 'reclaimed' });
    expect(meters.of('OverdueJobs')).toEqual([]);
  });

  it('is overdue once nobody has looked for long', async () => {
    const meters = new Meters({ subject: () => new Promise(() => undefined) });
    const { world } = meters;
    void world.start(world.deps, await world.submit(agent));
    await turns(50);
    world.freezeTimers();
    world.clock.jump(400_000);
    await world.sweep();

    expect(meters.of('Sweeps')).toEqual([1]);
    expect(meters.of('OverdueJobs')).toEqual([1]);
  });
});

it('a worker that was frozen and goes on behind another counts what it can write no more', async () => {
  const releases: (() => void)[] = [];
  const meters = new Meters({
    subject: (ctx) =>
      ctx.step('slow', () =>
        releases.length > 0 ? undefined : new Promise<void>((resolve) => releases.push(resolve)),
      ),
  });
  const { world } = meters;
  const jobId = await world.submit(agent);
  void world.start(world.deps, jobId);
  await turns(50);
  world.freezeTimers();
  world.clock.jump(70_000);
  await world.sweep();
  await world.drive(jobId);
  expect(meters.splits('LeasesLost')).toEqual([]);
  releases[0]?.();
  await turns(50);

  expect(meters.splits('JournalConflicts')).toEqual([{ agent }]);
  expect(meters.splits('LeasesLost')).toEqual([{ agent }]);
  expect(meters.of('JobsSucceeded')).toEqual([1]);
});
