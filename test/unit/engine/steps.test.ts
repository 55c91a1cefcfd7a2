import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import {
  type Agent,
  type AgentContext,
  defineAgent,
  RetryableError,
  TerminalError,
} from '../../../src/agent/index.ts';
import { EngineWorld } from '../../support/engine-world.ts';
import { turns } from '../../support/virtual-clock.ts';

function agentOf(run: (ctx: AgentContext) => Promise<unknown>, limits = {}): Agent {
  return defineAgent({ name: 'subject', input: z.unknown(), output: z.unknown(), limits, run });
}

async function driven(agent: Agent, options = {}): Promise<{ world: EngineWorld; jobId: string }> {
  const world = new EngineWorld([agent], options);
  const jobId = await world.submit('subject');
  await world.invoke(jobId);
  await world.drive(jobId);
  return { world, jobId };
}

describe('steps', () => {
  it('runs each step once and gives the result', async () => {
    const calls: string[] = [];
    const { world, jobId } = await driven(
      agentOf(async (ctx) => {
        const a = await ctx.step('a', () => (calls.push('a'), 1));
        const b = await ctx.step('b', () => (calls.push('b'), a + 1));
        return { a, b };
      }),
    );

    expect(await world.result(jobId)).toEqual({ a: 1, b: 2 });
    expect(calls).toEqual(['a', 'b']);
    expect((await world.job(jobId)).totals).toMatchObject({ stepsSucceeded: 2, stepsFailed: 0 });
  });

  it('shares a page between entries that become ready together', async () => {
    const { world, jobId } = await driven(
      agentOf((ctx) =>
        ctx.map('item', [...Array(20).keys()], { concurrency: 20 }, (n, item) =>
          item.step('double', () => n * 2),
        ),
      ),
    );

    const { pages } = await world.deps.jobs.loadHistory(jobId);
    expect(await world.result(jobId)).toHaveLength(20);
    expect(pages.length).toBeLessThanOrEqual(2);
  });

  it('tries a failing step again under one idempotency key, then records its success', async () => {
    const keys: string[] = [];
    const { world, jobId } = await driven(
      agentOf((ctx) =>
        ctx.step('flaky', ({ attempt, idempotencyKey }) => {
          keys.push(idempotencyKey);
          if (attempt < 3) throw new Error(`down ${attempt}`);
          return attempt;
        }),
      ),
    );

    expect(await world.result(jobId)).toBe(3);
    expect(new Set(keys).size).toBe(1);
    const types = (await world.entries(jobId)).map((entry) => entry.type);
    expect(types).toEqual(['step.failed', 'step.failed', 'step.succeeded']);
  });

  it('fails a job whose step has used up its tries, with a dead letter that says the same', async () => {
    const { world, jobId } = await driven(
      agentOf((ctx) =>
        ctx.step(
          'pay',
          () => {
            throw Object.assign(new Error('card declined'), { code: 'E_DECLINED' });
          },
          { retries: 1 },
        ),
      ),
    );

    const job = await world.job(jobId);
    expect(job).toMatchObject({ status: 'failed', deadLettered: true });
    expect(job.error).toMatchObject({
      code: 'step_failed',
      step: 'pay',
      attempt: 1,
      cause: { code: 'E_DECLINED' },
    });
    expect(job.dueAt).toBeUndefined();
    expect(world.deadLetters.letters).toHaveLength(1);
    expect(world.deadLetters.letters[0]).toMatchObject({
      jobId,
      code: 'step_failed',
      step: 'pay',
      cause: { message: 'card declined' },
    });
  });

  it('names the first of several steps that have all failed', async () => {
    const { world, jobId } = await driven(
      agentOf((ctx) =>
        Promise.any(
          ['a', 'b'].map((id) =>
            ctx.step(id, () => Promise.reject(new Error(`${id} is down`)), { retries: 0 }),
          ),
        ),
      ),
    );

    expect((await world.job(jobId)).error).toMatchObject({
      code: 'step_failed',
      step: 'a',
      cause: { message: 'a is down' },
    });
    expect(world.deadLetters.letters).toHaveLength(1);
  });

  it('does not retry a terminal error, and writes no dead letter for it', async () => {
    let tries = 0;
    const { world, jobId } = await driven(
      agentOf((ctx) =>
        ctx.step('check', () => {
          tries++;
          throw new TerminalError('not allowed');
        }),
      ),
    );

    expect(tries).toBe(1);
    expect(await world.job(jobId)).toMatchObject({ status: 'failed', error: { step: 'check' } });
    expect(world.deadLetters.letters).toHaveLength(0);
  });

  it('lets run catch the failure of a step and gives it the same error again in a replay', async () => {
    const seen: unknown[] = [];
    const { world, jobId } = await driven(
      agentOf(async (ctx) => {
        try {
          await ctx.step(
            'a',
            () => {
              throw Object.assign(new TypeError('broken', { cause: new Error('root') }), {
                code: 'E_A',
              });
            },
            { retries: 0 },
          );
        } catch (error) {
          const { name, message, code, cause } = error as Error & { code: string };
          seen.push({ name, message, code, cause: (cause as Error).message });
        }
        await ctx.sleep('nap', '1h');
        return 'ok';
      }),
    );

    expect(await world.result(jobId)).toBe('ok');
    expect(seen).toHaveLength(2);
    expect(seen[0]).toEqual({ name: 'TypeError', message: 'broken', code: 'E_A', cause: 'root' });
    expect(seen[1]).toEqual(seen[0]);
  });

  it('suspends for a long retry delay and holds no compute meanwhile', async () => {
    const { world, jobId } = await (async () => {
      const world = new EngineWorld([
        agentOf((ctx) =>
          ctx.step('limited', ({ attempt }) => {
            if (attempt === 1) throw new RetryableError('slow down', { retryAfter: '10m' });
            return 'done';
          }),
        ),
      ]);
      const jobId = await world.submit('subject');
      await world.invoke(jobId);
      return { world, jobId };
    })();

    const waiting = await world.job(jobId);
    expect(waiting).toMatchObject({ status: 'waiting', waitingFor: 'retry' });
    expect(waiting.wakeAt).toBe(waiting.dueAt);
    await world.drive(jobId);
    expect(await world.result(jobId)).toBe('done');
  });

  it.each([NaN, Infinity, -1])(
    'goes by its own backoff when an error asks for another try after %p ms',
    async (retryAfterMs) => {
      const { world, jobId } = await driven(
        agentOf((ctx) =>
          ctx.step(
            'limited',
            ({ attempt }) => {
              if (attempt === 1) throw Object.assign(new Error('slow down'), { retryAfterMs });
              return 'done';
            },
            { backoff: { base: '1s', max: '1s' } },
          ),
        ),
      );

      expect(await world.result(jobId)).toBe('done');
      const [failed] = await world.entries(jobId);
      const { at = 0, retryAt = 0 } = failed as { at?: number; retryAt?: number };
      expect(retryAt).toBeGreaterThanOrEqual(at);
      expect(retryAt).toBeLessThanOrEqual(at + 1_000);
    },
  );

  it('ends a hung step at its timeout and aborts its signal', async () => {
    let aborted = false;
    const { world, jobId } = await driven(
      agentOf((ctx) =>
        ctx.step(
          'hang',
          ({ signal }) =>
            new Promise(() => {
              signal.addEventListener('abort', () => {
                aborted = true;
              });
            }),
          { retries: 0, timeout: '30s' },
        ),
      ),
    );

    expect((await world.job(jobId)).error).toMatchObject({
      step: 'hang',
      cause: { code: 'step_timeout' },
    });
    expect(aborted).toBe(true);
  });

  // Peer fault 10: a timed-out attempt kept running beside its retry, and both wrote.
  it('takes nothing any more from a try that is over its timeout', async () => {
    const first = Promise.withResolvers<string>();
    const world = new EngineWorld([
      agentOf(async (ctx) => {
        const outcome = await ctx.step(
          'slow',
          async ({ attempt }) => {
            if (attempt === 1) return first.promise;
            first.resolve('from the first try');
            await turns(5);
            return 'from the second try';
          },
          { retries: 1, timeout: '30s', backoff: { base: '1ms', max: '1ms' } },
        );
        await ctx.sleep('nap', '1h');
        return outcome;
      }),
    ]);
    const jobId = await world.submit('subject');

    await world.drive(jobId);

    expect(await world.result(jobId)).toBe('from the second try');
    const tries = (await world.entries(jobId)).flatMap((entry) =>
      'try' in entry ? [[entry.type, entry.try]] : [],
    );
    expect(tries).toEqual([
      ['step.failed', 1],
      ['step.succeeded', 2],
    ]);
  });

  it.each([
    {
      name: 'a reused id',
      code: 'step_id_reused',
      run: async (ctx: AgentContext) => {
        await ctx.step('x', () => 1);
        await ctx.step('x', () => 2);
      },
    },
    {
      name: 'an id with a slash',
      code: 'invalid_step_id',
      run: (ctx: AgentContext) => ctx.step('a/b', () => 1),
    },
    {
      name: 'a timeout no slice can give',
      code: 'step_timeout_too_long',
      run: (ctx: AgentContext) => ctx.step('x', () => 1, { timeout: '2h' }),
    },
    {
      name: 'too many retries',
      code: 'invalid_option',
      run: (ctx: AgentContext) => ctx.step('x', () => 1, { retries: 1000 }),
    },
    {
      name: 'an outcome JSON cannot hold',
      code: 'not_serializable',
      run: (ctx: AgentContext) => ctx.step('x', () => ({ at: new Date(0) })),
    },
    {
      name: 'a step left behind',
      code: 'step_after_end',
      run: (ctx: AgentContext) => {
        void ctx.step('x', () => new Promise(() => undefined));
        return Promise.resolve(1);
      },
    },
  ])('fails the job with a clear error for $name', async ({ code, run }) => {
    const { world, jobId } = await driven(agentOf(run));
    const job = await world.job(jobId);
    expect(job.status).toBe('failed');
    expect(job.error?.cause?.code ?? job.error?.code).toBe(code);
  });

  it('keeps outcomes over 8 KB in the payload store, and a replay sees exactly what the first run saw', async () => {
    const lengths: number[] = [];
    const { world, jobId } = await driven(
      agentOf(async (ctx) => {
        const big = await ctx.step('big', () => 'ü'.repeat(500_000));
        lengths.push(big.length);
        await ctx.sleep('nap', '1h');
        return big.length;
      }),
    );

    expect(await world.result(jobId)).toBe(500_000);
    expect(lengths).toEqual([500_000, 500_000]);
    const [entry] = await world.entries(jobId);
    expect(entry).toMatchObject({
      type: 'step.succeeded',
      outcome: { kind: 's3', sizeBytes: 1_000_002 },
    });
  });

  it('starts no more steps side by side than the limit has left', async () => {
    let started = 0;
    const items = [1, 2, 3, 4, 5, 6];
    const { world, jobId } = await driven(
      agentOf(
        (ctx) =>
          ctx.map('item', items, { concurrency: 6 }, (_n, item) =>
            item.step('work', () => ++started),
          ),
        { maxSteps: 4 },
      ),
    );

    expect((await world.job(jobId)).error).toMatchObject({ code: 'steps_exceeded' });
    expect(started).toBeLessThanOrEqual(4);
  });

  it('ends a job that reaches its limit of steps', async () => {
    const { world, jobId } = await driven(
      agentOf(
        async (ctx) => {
          for (let n = 0; n < 10; n++) await ctx.step(`s${n}`, () => n);
        },
        { maxSteps: 4 },
      ),
    );

    const job = await world.job(jobId);
    expect(job.error).toMatchObject({ code: 'steps_exceeded' });
    expect(job.totals?.stepsSucceeded).toBe(4);
  });

  it('counts a step once whose failed try is being recorded while another one starts', async () => {
    const failed = Promise.withResolvers<undefined>();
    const world = new EngineWorld([
      agentOf(
        (ctx) =>
          Promise.all([
            ctx.step('flaky', ({ attempt }) => {
              if (attempt > 1) return 'done';
              failed.resolve(undefined);
              throw new RetryableError('once', { retryAfter: '1ms' });
            }),
            failed.promise.then(() => turns(2)).then(() => ctx.step('other', () => 'done')),
          ]),
        { maxSteps: 2 },
      ),
    ]);
    const jobId = await world.submit('subject');
    const slowly = world.withStore(async (proceed) => {
      await new Promise<void>((resolve) => {
        world.clock.setTimer(50, resolve);
      });
      return proceed();
    });

    await world.settle(world.start(slowly, jobId));

    expect((await world.job(jobId)).status).toBe('succeeded');
  });

  it('ends a job at its deadline although the agent hangs in the middle of a slice', async () => {
    const agent = agentOf(
      async (ctx) => {
        await ctx.step('first', () => 'done');
        await new Promise(() => undefined);
      },
      { maxDuration: '30s' },
    );
    const { world, jobId } = await driven(agent);

    const { error, createdAt, finishedAt } = await world.job(jobId);
    expect(error).toMatchObject({ code: 'duration_exceeded' });
    expect((finishedAt ?? 0) - createdAt).toBe(30_000);
  });

  it('ends a job that reaches its limit of time', async () => {
    const { world, jobId } = await driven(
      agentOf(
        async (ctx) => {
          await ctx.sleep('nap', '1d');
        },
        { maxDuration: '2h' },
      ),
    );

    expect((await world.job(jobId)).error).toMatchObject({ code: 'duration_exceeded' });
  });
});
