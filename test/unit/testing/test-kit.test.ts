import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { type Agent, type AgentContext, defineAgent } from '../../../src/agent/index.ts';
import { assertReplays, testAgent } from '../../../src/agent/testing/index.ts';

type Run = (ctx: AgentContext, input: unknown) => Promise<unknown>;

function agentOf(run: Run, more: { onCancel?: (ctx: AgentContext) => Promise<void> } = {}): Agent {
  const any = z.unknown();
  return defineAgent({ name: 'subject', input: any, output: any, run, ...more });
}

const decision = z.object({ approved: z.boolean() });

const approval = (effects: string[] = []): Agent =>
  agentOf(
    async (ctx) => {
      const draft = await ctx.step('draft', () => 'a draft');
      const answer = await ctx.waitForSignal('decision', { schema: decision, timeout: '3d' });
      if (!answer.approved) return 'rejected';
      return ctx.step('send', ({ idempotencyKey }) => {
        effects.push(idempotencyKey);
        return `${draft}, sent`;
      });
    },
    { onCancel: (ctx) => ctx.step('undo', () => void effects.push('undone')) },
  );

const twoSteps = (log: string[]): Agent =>
  agentOf(async (ctx) => {
    log.push('run');
    await ctx.step('a', () => void log.push('a'));
    await ctx.step('b', () => void log.push('b'));
    return 'done';
  });

describe('a job under test', () => {
  it('stops where it waits, and goes on with the signal', async () => {
    const job = await testAgent(approval()).submit({});

    expect(await job.run()).toEqual({ status: 'waiting', waitingFor: 'signal', attempts: 1 });
    await job.signal('decision', { approved: true });

    expect(await job.end()).toMatchObject({ status: 'succeeded', result: 'a draft, sent' });
    expect(await job.history()).toEqual([
      'step.succeeded draft',
      'wait.started decision',
      'signal.received decision',
      'step.succeeded send',
    ]);
  });

  it('sees no more time pass than it is given', async () => {
    const test = testAgent(approval());
    const job = await test.submit({});
    const begunAt = test.now;

    await test.advance('2d');
    expect(test.now - begunAt).toBe(2 * 86_400_000);
    expect(await job.state()).toMatchObject({ status: 'waiting' });
    await test.advance('25h');

    expect(await job.state()).toMatchObject({ status: 'failed' });
    expect(await job.history()).toContain('wait.timed_out decision');
  });

  it('is cancelled with its clean-up, and goes on after a retry with its hint', async () => {
    const effects: string[] = [];
    const job = await testAgent(approval(effects)).submit({});
    await job.run();
    await job.cancel();
    expect(await job.end()).toMatchObject({ status: 'cancelled' });
    expect(effects).toEqual(['undone']);

    await job.retry({ hint: 'again' });

    expect(await job.run()).toMatchObject({ status: 'waiting' });
  });

  it('is told to be endless when nobody sends what it waits for', async () => {
    const endless = agentOf((ctx) => ctx.waitForSignal('never', { schema: decision }));
    const job = await testAgent(endless).submit({});

    await expect(job.end()).rejects.toThrow(/waits for a signal without a timeout/);
  });

  it('refuses an input that the agent refuses, and commands that make no sense any more', async () => {
    const strict = defineAgent({
      name: 'strict',
      input: z.object({ count: z.number() }),
      output: z.number(),
      run: (_ctx, { count }) => Promise.resolve(count),
    });
    const test = testAgent(strict);

    await expect(test.submit({ count: 'three' })).rejects.toMatchObject({ code: 'invalid_input' });
    const job = await test.submit({ count: 3 });
    await job.end();
    await expect(job.signal('late', {})).rejects.toThrow(/refused/);
    await expect(job.retry()).rejects.toThrow(/refused/);
  });

  it('shows its sub-jobs', async () => {
    const child = defineAgent({
      name: 'child',
      input: z.number(),
      output: z.number(),
      run: (ctx, n) => ctx.step('double', () => n * 2),
    });
    const parent = agentOf(async (ctx) => ctx.join([await ctx.spawn('one', 'child', 21)]));
    const job = await testAgent(parent, { agents: [child] }).submit({});

    expect(await job.end()).toMatchObject({ result: [42] });
    const [first] = await job.children();
    expect(await first?.history()).toEqual(['step.succeeded double']);
    expect(await job.history()).toEqual(['child.spawned one: child', 'child.finished: succeeded']);
  });
});

describe('planned failures', () => {
  it('fail the tries of a step that they name', async () => {
    const log: string[] = [];
    const test = testAgent(twoSteps(log));
    test.failStep('b', { tries: [1, 2], error: new Error('down') });
    const job = await test.submit({});

    expect(await job.end()).toMatchObject({ status: 'succeeded' });
    expect(await job.history()).toEqual([
      'step.succeeded a',
      'step.failed b, try 1: down',
      'step.failed b, try 2: down',
      'step.succeeded b',
    ]);
    expect(log).toEqual(['run', 'a', 'b']);
  });

  it('exhaust the tries of a step', async () => {
    const test = testAgent(twoSteps([]));
    test.failStep('a', { tries: 'all' });
    const job = await test.submit({});

    expect(await job.end()).toMatchObject({ status: 'failed', error: { code: 'step_failed' } });
  });

  it('kill the worker before a checkpoint, so that the step runs again, or after it, so that it does not', async () => {
    for (const [when, expected] of [
      ['before', ['run', 'a', 'run', 'a', 'b']],
      ['after', ['run', 'a', 'run', 'b']],
    ] as const) {
      const log: string[] = [];
      const test = testAgent(twoSteps(log));
      test.crashWorker(when, { step: 'a' });
      const job = await test.submit({});

      expect(await job.end()).toMatchObject({ status: 'succeeded', attempts: 2 });
      expect(log).toEqual(expected);
      expect(test.unreachedCrashes).toEqual([]);
    }
  });
});

describe('time in a step', () => {
  it('stands still while the step works, in real time', async () => {
    const agent = agentOf((ctx) => ctx.step('slow', () => delay(50, 'done'), { retries: 0 }));
    const test = testAgent(agent);
    const begunAt = test.now;
    const job = await test.submit({});

    expect(await job.end()).toMatchObject({ result: 'done' });
    expect(test.now).toBe(begunAt);
  });

  it('passes when the step hangs, so that its timeout ends it', async () => {
    const agent = agentOf((ctx) =>
      ctx.step('hang', () => new Promise(() => undefined), { retries: 0, timeout: '30s' }),
    );
    const job = await testAgent(agent, { patience: '20ms' }).submit({});

    expect(await job.end()).toMatchObject({ status: 'failed', error: { step: 'hang' } });
  });
});

describe('always-replay mode', () => {
  // #region always
  it('replays run after every page, and once more for the result', async () => {
    const log: string[] = [];
    const job = await testAgent(twoSteps(log), { replay: 'always' }).submit({});

    expect(await job.end()).toMatchObject({ status: 'succeeded', attempts: 3 });
    expect(log).toEqual(['run', 'a', 'run', 'b', 'run']);
    expect(await job.history()).toEqual(['step.succeeded a', 'step.succeeded b']);
  });
  // #endregion

  it('shows agent code nothing of the replacement', async () => {
    const caught: unknown[] = [];
    const agent = agentOf(async (ctx) => {
      try {
        await ctx.step('a', () => 1);
        ctx.log('between');
        await ctx.sleep('nap', '1h');
        return await ctx.map('each', [1, 2, 3], { concurrency: 3 }, (n, each) =>
          each.step('b', () => n),
        );
      } catch (error) {
        caught.push(error);
        throw error;
      }
    });
    const job = await testAgent(agent, { replay: 'always' }).submit({});

    expect(await job.end()).toMatchObject({ status: 'succeeded', result: [1, 2, 3] });
    expect(caught).toEqual([]);
  });
});

describe('assertReplays', () => {
  const play = (input: unknown) => async (test: ReturnType<typeof testAgent>) => {
    const job = await test.submit(input);
    await job.run();
    await job.signal('decision', { approved: true });
    return job;
  };

  it('passes an agent that keeps to its steps', async () => {
    await assertReplays(approval(), play({}));
  });

  // #region replays
  it('finds an agent whose run depends on what is no step', async () => {
    let runs = 0;
    const careless = agentOf(async (ctx) => {
      const turn = ++runs;
      await ctx.step('a', () => 'a');
      return turn;
    });

    await expect(assertReplays(careless, (test) => test.submit({}))).rejects.toThrow(
      /ended differently: replayed after every page/,
    );
  });
  // #endregion

  it('finds an agent that changes its steps with the attempt', async () => {
    const careless = agentOf(async (ctx) => {
      await ctx.step('a', () => 'a');
      await ctx.step(`b-${ctx.attempt}`, () => 'b');
    });

    await expect(assertReplays(careless, (test) => test.submit({}))).rejects.toThrow(
      /does each replay ask for other step ids/,
    );
  });
});
