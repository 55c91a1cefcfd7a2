import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { type Agent, type AgentContext, defineAgent } from '../../../src/agent/index.ts';
import { cancelOwnJob } from '../../../src/core/commands/control-job.ts';
import { forkJob } from '../../../src/core/commands/fork-job.ts';
import { restartJob } from '../../../src/core/commands/restart-job.ts';
import { signalJob } from '../../../src/core/commands/signal-job.ts';
import type { Job } from '../../../src/core/job/job.ts';
import { EngineWorld } from '../../support/engine-world.ts';

const ONCE = { retries: 0 } as const;

function agentOf(name: string, run: (ctx: AgentContext) => Promise<unknown>): Agent {
  return defineAgent({ name, input: z.unknown(), output: z.unknown(), run });
}

/** What the steps of a job have done, and which of them fail now. */
interface Stage {
  readonly did: string[];
  failing: string[];
}

function act({ did, failing }: Stage, id: string): string {
  did.push(id);
  if (failing.includes(id)) throw new Error(`${id} fails`);
  return `${id} ${did.length}`;
}

/** A job that has ended. */
async function ended(...agents: Agent[]): Promise<{
  world: EngineWorld;
  own: { jobId: string; tenantId: string };
  job: Job;
}> {
  const world = new EngineWorld(agents);
  const jobId = await world.submit('subject');
  const job = await world.drive(jobId);
  return { world, own: { jobId, tenantId: 'acme' }, job };
}

async function forked(world: EngineWorld, own: Job | { jobId: string }, fromStep: string) {
  const fork = await forkJob(world.deps, { jobId: own.jobId, tenantId: 'acme', fromStep });
  if (fork?.outcome !== 'done') throw new Error('the fork was refused');
  return world.drive(fork.job.jobId);
}

/** Tries the good way, takes another one when that fails, and goes on. */
const withFallback = (stage: Stage): Agent =>
  agentOf('subject', async (ctx) => {
    const way = await ctx
      .step('good', () => act(stage, 'good'), ONCE)
      .catch(() => ctx.step('fallback', () => act(stage, 'fallback'), ONCE));
    return [way, await ctx.step('report', () => act(stage, 'report'), ONCE)];
  });

const answer = z.object({ text: z.string() });

/** Asks, does without an answer after a day, and goes on. */
const withDeadlineForAnswer = (stage: Stage): Agent =>
  agentOf('subject', async (ctx) => {
    const text = await ctx.waitForSignal('answer', { schema: answer, timeout: '1d' }).then(
      (signal) => signal.text,
      () => 'no answer',
    );
    return [text, await ctx.step('report', () => act(stage, 'report'), ONCE)];
  });

describe('a retry from a step', () => {
  it('keeps a failure before it that the agent had caught', async () => {
    const stage: Stage = { did: [], failing: ['good', 'report'] };
    const { world, own } = await ended(withFallback(stage));
    stage.failing = [];

    await restartJob(world.deps, { ...own, fromStep: 'report' });
    const job = await world.drive(own.jobId);

    expect(stage.did).toEqual(['good', 'fallback', 'report', 'report']);
    expect(await world.result(own.jobId)).toEqual(['fallback 2', 'report 4']);
    expect(job.totals).toMatchObject({ stepsSucceeded: 2, stepsFailed: 1 });
  });

  it('keeps a wait before it that timed out', async () => {
    const stage: Stage = { did: [], failing: ['report'] };
    const { world, own } = await ended(withDeadlineForAnswer(stage));
    const failedAt = world.clock.now();
    stage.failing = [];

    await restartJob(world.deps, { ...own, fromStep: 'report' });
    await world.drive(own.jobId);

    expect(await world.result(own.jobId)).toEqual(['no answer', 'report 2']);
    expect(world.clock.now() - failedAt).toBeLessThan(60_000);
  });

  it('asks again for a signal that was taken after it', async () => {
    const stage: Stage = { did: [], failing: ['send'] };
    const world = new EngineWorld([
      agentOf('subject', async (ctx) => {
        const draft = await ctx.step('draft', () => act(stage, 'draft'), ONCE);
        const { text } = await ctx.waitForSignal('answer', { schema: answer });
        return ctx.step('send', () => [draft, text, act(stage, 'send')], ONCE);
      }),
    ]);
    const own = { jobId: await world.submit('subject'), tenantId: 'acme' };
    await signalJob(world.deps, { ...own, name: 'answer', body: { text: 'to the first draft' } });
    await world.drive(own.jobId);
    stage.failing = [];

    await restartJob(world.deps, { ...own, fromStep: 'draft' });
    await world.rounds(2);
    expect(await world.job(own.jobId)).toMatchObject({ status: 'waiting', waitingOn: 'answer' });
    await signalJob(world.deps, { ...own, name: 'answer', body: { text: 'to the second draft' } });
    await world.drive(own.jobId);

    expect(await world.result(own.jobId)).toEqual(['draft 3', 'to the second draft', 'send 4']);
  });

  it('runs again what the job failed by, although it failed before that step', async () => {
    const stage: Stage = { did: [], failing: ['fast'] };
    const { world, own, job } = await ended(
      agentOf('subject', async (ctx) => {
        const slow = ctx.scope('slow', async (scope) => {
          await scope.sleep('nap', '1s');
          return scope.step('work', () => act(stage, 'work'), ONCE);
        });
        const fast = ctx.step('fast', () => act(stage, 'fast'), ONCE);
        const [first, second] = await Promise.allSettled([fast, slow]);
        if (first.status === 'rejected') throw new Error('one fails', { cause: first.reason });
        return [first.value, second.status];
      }),
    );
    expect(job.error).toMatchObject({ code: 'step_failed', step: 'fast' });
    stage.failing = [];

    await restartJob(world.deps, { ...own, fromStep: 'slow/work' });
    await world.drive(own.jobId);

    expect(stage.did).toEqual(['fast', 'work', 'fast', 'work']);
    expect(await world.result(own.jobId)).toEqual(['fast 3', 'fulfilled']);
  });

  it('keeps all that is decided when it names a step that is not', async () => {
    const stage: Stage = { did: [], failing: ['good'] };
    const { world, own } = await begunAndCancelled(
      agentOf('subject', async (ctx) => {
        const way = await ctx.step('good', () => act(stage, 'good'), ONCE).catch(() => 'caught');
        await ctx.waitForSignal('answer', { schema: answer });
        return way;
      }),
    );
    stage.failing = [];

    await restartJob(world.deps, { ...own, fromStep: 'answer' });
    await world.rounds(2);
    await signalJob(world.deps, { ...own, name: 'answer', body: { text: 'yes' } });
    await world.drive(own.jobId);

    expect(stage.did).toEqual(['good']);
    expect(await world.result(own.jobId)).toBe('caught');
  });

  describe('and sub-jobs', () => {
    const child = (stage: Stage): Agent =>
      agentOf('child', (ctx) => ctx.step('work', () => act(stage, 'child'), ONCE));

    it('keeps one that had failed before it', async () => {
      const stage: Stage = { did: [], failing: ['child', 'report'] };
      const { world, own } = await ended(
        agentOf('subject', async (ctx) => {
          const handle = await ctx.spawn('part', 'child', {});
          const [part] = await ctx.join([handle], { onFailure: 'collect' });
          return [part?.status, await ctx.step('report', () => act(stage, 'report'), ONCE)];
        }),
        child(stage),
      );
      stage.failing = [];

      await restartJob(world.deps, { ...own, fromStep: 'report' });
      await world.drive(own.jobId);

      expect(world.jobCount('child')).toBe(1);
      expect(await world.result(own.jobId)).toEqual(['failed', 'report 3']);
    });

    it('spawns one anew that failed after it', async () => {
      const stage: Stage = { did: [], failing: ['child'] };
      const { world, own } = await ended(
        agentOf('subject', async (ctx) => {
          const handle = await ctx.spawn('part', 'child', {});
          await ctx.step('meanwhile', () => act(stage, 'meanwhile'), ONCE);
          return ctx.join([handle]);
        }),
        child(stage),
      );
      stage.failing = [];

      await restartJob(world.deps, { ...own, fromStep: 'meanwhile' });
      await world.drive(own.jobId);

      expect(world.statuses('child')).toEqual(['failed', 'succeeded']);
    });

    it('spawns one anew that the job failed by, although it failed before that step', async () => {
      const stage: Stage = { did: [], failing: ['child'] };
      const { world, own, job } = await ended(
        agentOf('subject', async (ctx) => {
          const handle = await ctx.spawn('part', 'child', {});
          const [part] = await Promise.allSettled([ctx.join([handle])]);
          await ctx.step('report', () => act(stage, 'report'), ONCE);
          if (part.status === 'rejected') throw part.reason;
          return part.value;
        }),
        child(stage),
      );
      expect(job.error).toMatchObject({ code: 'agent_failed', cause: { code: 'child_failed' } });
      stage.failing = [];

      await restartJob(world.deps, { ...own, fromStep: 'report' });
      await world.drive(own.jobId);

      expect(world.statuses('child')).toEqual(['failed', 'succeeded']);
    });
  });
});

describe('a retry without a step', () => {
  it('runs again whatever failed, caught or not', async () => {
    const stage: Stage = { did: [], failing: ['good', 'report'] };
    const { world, own } = await ended(withFallback(stage));
    stage.failing = [];

    await restartJob(world.deps, own);
    await world.drive(own.jobId);

    expect(stage.did).toEqual(['good', 'fallback', 'report', 'good', 'report']);
  });

  it('runs again what a retry from a step before had kept', async () => {
    const stage: Stage = { did: [], failing: ['good', 'report'] };
    const { world, own } = await ended(withFallback(stage));
    await restartJob(world.deps, { ...own, fromStep: 'report' });
    await world.drive(own.jobId);
    stage.failing = [];

    await restartJob(world.deps, own);
    await world.drive(own.jobId);

    expect(stage.did).toEqual(['good', 'fallback', 'report', 'report', 'good', 'report']);
  });

  it('waits again where a wait had timed out', async () => {
    const stage: Stage = { did: [], failing: ['report'] };
    const { world, own } = await ended(withDeadlineForAnswer(stage));
    stage.failing = [];

    await restartJob(world.deps, own);
    await world.rounds(2);
    await signalJob(world.deps, { ...own, name: 'answer', body: { text: 'late' } });
    await world.drive(own.jobId);

    expect(await world.result(own.jobId)).toEqual(['late', 'report 2']);
  });
});

describe('a fork', () => {
  it('begins with failures that the agent had caught', async () => {
    const stage: Stage = { did: [], failing: ['good'] };
    const { world, own } = await ended(withFallback(stage));
    stage.failing = [];

    const fork = await forked(world, own, 'report');

    expect(stage.did).toEqual(['good', 'fallback', 'report', 'report']);
    expect(await world.result(fork.jobId)).toEqual(['fallback 2', 'report 4']);
    expect(fork.totals).toMatchObject({ stepsSucceeded: 2, stepsFailed: 1 });
  });

  it('begins with waits that timed out', async () => {
    const stage: Stage = { did: [], failing: [] };
    const { world, own } = await ended(withDeadlineForAnswer(stage));
    const endedAt = world.clock.now();

    const fork = await forked(world, own, 'report');

    expect(await world.result(fork.jobId)).toEqual(['no answer', 'report 2']);
    expect(world.clock.now() - endedAt).toBeLessThan(60_000);
  });

  it('begins with the outcomes that count, and not with those that a retry has cut', async () => {
    const stage: Stage = { did: [], failing: ['report'] };
    const { world, own } = await ended(withFallback(stage));
    stage.failing = [];
    await restartJob(world.deps, { ...own, fromStep: 'good' });
    await world.drive(own.jobId);
    expect(await world.result(own.jobId)).toEqual(['good 3', 'report 4']);

    const fork = await forked(world, own, 'report');

    expect(await world.result(fork.jobId)).toEqual(['good 3', 'report 5']);
  });
});

async function begunAndCancelled(agent: Agent): Promise<{
  world: EngineWorld;
  own: { jobId: string; tenantId: string };
}> {
  const world = new EngineWorld([agent]);
  const own = { jobId: await world.submit('subject'), tenantId: 'acme' };
  await world.rounds(1);
  await world.invoke(own.jobId);
  await cancelOwnJob(world.deps, own);
  await world.drive(own.jobId);
  return { world, own };
}
