import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { type Agent, type AgentContext, defineAgent } from '../../../src/agent/index.ts';
import type { AgentLimits } from '../../../src/agent/define-agent.ts';
import { LIMITS } from '../../../src/core/policy/limits.ts';
import { EngineWorld } from '../../support/engine-world.ts';

const MIB = 1024 * 1024;
const any = z.unknown();

function agentOf(run: (ctx: AgentContext) => Promise<unknown>, limits: AgentLimits = {}): Agent {
  return defineAgent({ name: 'subject', input: any, output: any, limits, run });
}

async function driven(agent: Agent): Promise<{ world: EngineWorld; jobId: string }> {
  const world = new EngineWorld([agent]);
  const jobId = await world.submit('subject');
  await world.drive(jobId);
  return { world, jobId };
}

/** What an agent saw of its steps in the first run and in the replay after a sleep. */
async function seenTwice(look: (ctx: AgentContext) => Promise<unknown>): Promise<unknown[]> {
  const seen: unknown[] = [];
  const { world, jobId } = await driven(
    agentOf(async (ctx) => {
      seen.push(await look(ctx));
      await ctx.sleep('nap', '1h');
    }),
  );
  expect(await world.job(jobId)).toMatchObject({ status: 'succeeded', epoch: 2 });
  expect(seen).toHaveLength(2);
  return seen;
}

describe('a replay sees exactly what the first run saw', () => {
  it.each([
    {
      name: '1,000 steps',
      look: async (ctx: AgentContext) => {
        const sums: number[] = [];
        for (let n = 0; n < 1_000; n++) sums.push(await ctx.step(`step-${n}`, () => n * n));
        return sums;
      },
    },
    {
      name: 'a map of 600 items of 2 KB',
      look: (ctx: AgentContext) =>
        ctx.map('item', [...Array(600).keys()], { concurrency: 50 }, (n, item) =>
          item.step('fill', () => ({ n, text: String(n % 10).repeat(2_048) })),
        ),
    },
    {
      name: 'one outcome of 1 MB',
      look: (ctx: AgentContext) => ctx.step('big', () => ({ text: 'é'.repeat(MIB / 2) })),
    },
    {
      name: 'one outcome of 10 MB',
      look: (ctx: AgentContext) =>
        ctx.step('huge', () => Array.from({ length: 10_240 }, (_, n) => `${n}`.padEnd(1_021, '.'))),
    },
    {
      name: 'odd values',
      look: (ctx: AgentContext) =>
        ctx.step('odd', () => ({
          zero: 0,
          empty: '',
          none: null,
          deep: [[], {}],
          ' ': '\u0000😀',
        })),
    },
    {
      name: 'an outcome that is undefined',
      look: (ctx: AgentContext) => ctx.step('void', () => undefined),
    },
  ])('of $name', async ({ look }) => {
    const [first, replayed] = await seenTwice(look);

    expect(replayed).toEqual(first);
    expect(JSON.stringify(replayed)).toBe(JSON.stringify(first));
  });

  it('of an error in a branch: name, message, code, causes, details and stack', async () => {
    class PaymentError extends Error {
      override readonly name = 'PaymentError';
      readonly code = 'E_DECLINED';
      readonly details = { reason: 'limit' };
    }
    const facts = (error: unknown): unknown => {
      if (!(error instanceof Error)) return error;
      const { name, message, stack, cause } = error;
      const { code, details } = error as { code?: unknown; details?: unknown };
      return {
        name,
        message,
        code,
        details,
        stack,
        cause: cause === undefined ? 'none' : facts(cause),
      };
    };

    const [first, replayed] = await seenTwice((ctx) =>
      ctx
        .map('each', [1, 2, 3], {}, (n, each) =>
          each.step(
            'pay',
            () => {
              if (n < 2) return n;
              const root = Object.assign(new TypeError('socket closed'), { code: 'ECONNRESET' });
              throw new PaymentError(`card ${n}`, { cause: new Error('gateway', { cause: root }) });
            },
            { retries: 0 },
          ),
        )
        .catch(facts),
    );

    expect(first).toMatchObject({
      name: 'PaymentError',
      message: 'card 2',
      code: 'E_DECLINED',
      details: { reason: 'limit' },
      cause: {
        message: 'gateway',
        cause: { name: 'TypeError', code: 'ECONNRESET', cause: 'none' },
      },
    });
    expect((first as { stack: string }).stack).toContain('outcomes.test.ts');
    expect(replayed).toEqual(first);
  });
});

describe('an outcome beyond the limit', () => {
  it('is an error at its step, with size and limit, that run can catch, and no retry', async () => {
    let tries = 0;
    const { world, jobId } = await driven(
      agentOf(async (ctx) => {
        try {
          return await ctx.step('huge', () => {
            tries++;
            return 'x'.repeat(LIMITS.payloadBytes);
          });
        } catch (error) {
          const { code, details } = error as { code: string; details: unknown };
          return { code, details };
        }
      }),
    );

    expect(await world.result(jobId)).toEqual({
      code: 'payload_too_large',
      details: { sizeBytes: LIMITS.payloadBytes + 2, limitBytes: LIMITS.payloadBytes },
    });
    expect(tries).toBe(1);
  });
});

describe('progress and log', () => {
  it.each([
    {
      name: 'a progress message',
      report: (ctx: AgentContext, over: number) => {
        ctx.progress({ message: 'm'.repeat(LIMITS.progressMessageChars + over) });
      },
    },
    {
      name: 'a log message',
      report: (ctx: AgentContext, over: number) => {
        ctx.log('m'.repeat(LIMITS.logMessageChars + over));
      },
    },
    {
      name: 'log data',
      report: (ctx: AgentContext, over: number) => {
        // {"t":"…"} adds eight characters.
        ctx.log('data', { t: 'd'.repeat(LIMITS.logDataBytes - 8 + over) });
      },
    },
  ])('take $name at its limit and refuse one above it at the call', async ({ report }) => {
    for (const over of [0, 1]) {
      const { world, jobId } = await driven(
        agentOf(async (ctx) => {
          report(ctx, over);
          await ctx.step('a', () => 1);
        }),
      );
      const { status, error } = await world.job(jobId);
      expect(status).toBe(over === 0 ? 'succeeded' : 'failed');
      expect(error?.cause?.code).toBe(over === 0 ? undefined : 'invalid_option');
      expect(await world.entries(jobId)).toHaveLength(over === 0 ? 2 : 1);
    }
  });

  it('may be called inside a step, and hide nothing that a replay says afterwards', async () => {
    const { world, jobId } = await driven(
      agentOf(async (ctx) => {
        await ctx.step('long', () => {
          ctx.log('hello');
          ctx.progress({ completed: 1, total: 3 });
        });
        await ctx.sleep('nap', '1h');
        ctx.log('hello');
        ctx.progress({ completed: 2, total: 3 });
        await ctx.step('more', () => 1);
        ctx.progress({ completed: 3, total: 3 });
      }),
    );

    const entries = await world.entries(jobId);
    const logs = entries.filter((entry) => entry.type === 'log.written');
    expect(logs.map(({ stepId, attempt }) => [stepId, attempt])).toEqual([
      ['long', 1],
      [undefined, 2],
    ]);
    const reports = entries.filter((entry) => entry.type === 'progress.reported');
    expect(reports.map(({ completed }) => completed)).toEqual([1, 2]);
    expect((await world.job(jobId)).totals?.progress).toEqual({ completed: 3, total: 3 });
  });
});

it('progress between steps of less than a second costs no page of its own', async () => {
  const world: EngineWorld = new EngineWorld([
    agentOf(async (ctx) => {
      for (let n = 1; n <= 5; n++) {
        await ctx.step(
          `s${n}`,
          () => new Promise<void>((resolve) => void world.clock.setTimer(400, resolve)),
        );
        ctx.progress({ completed: n, total: 5 });
      }
    }),
  ]);
  const jobId = await world.submit('subject');
  await world.drive(jobId);

  const { pages } = await world.deps.jobs.loadHistory(jobId);
  const types = pages.map(({ entries }) => entries.map(({ type }) => type));
  expect(types.flat()).toContain('progress.reported');
  expect(types).not.toContainEqual(['progress.reported']);
});

describe('a long journal', () => {
  it('of 30,000 entries ends well', async () => {
    const { world, jobId } = await driven(
      agentOf(
        async (ctx) => {
          const items = [...Array(30_000).keys()];
          const sums = await ctx.map('n', items, { concurrency: 500 }, (n, item) =>
            item.step('same', () => n),
          );
          await ctx.sleep('nap', '1h');
          return sums.length;
        },
        { maxSteps: 30_001 },
      ),
    );

    expect(await world.job(jobId)).toMatchObject({
      status: 'succeeded',
      totals: { stepsSucceeded: 30_000 },
    });
    expect(await world.result(jobId)).toBe(30_000);
  }, 60_000);

  it('ends its job with a code of its own when it reaches its limit', async () => {
    const { world, jobId } = await driven(
      agentOf(async (ctx) => {
        const text = 'x'.repeat(8_000);
        const items = [...Array(9_000).keys()];
        await ctx.map('n', items, { concurrency: 500 }, (_n, item) =>
          item.step('fill', () => text),
        );
      }),
    );

    const { status, error, totals } = await world.job(jobId);
    expect([status, error?.code]).toEqual(['failed', 'journal_too_large']);
    expect(error?.message).toContain(`the limit is ${LIMITS.journalBytes}`);
    // At most what was under way when the limit was met lies beyond it.
    expect(totals?.journalBytes).toBeLessThan(LIMITS.journalBytes + 500 * 8_500);
  }, 60_000);
});
