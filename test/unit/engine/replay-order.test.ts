import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { type Agent, type AgentContext, defineAgent } from '../../../src/agent/index.ts';
import { signalJob } from '../../../src/core/commands/signal-job.ts';
import { SIGNAL_NAME } from '../../../src/core/engine/wait-for-signal.ts';
import { signalNameSchema } from '../../../src/protocol/command-requests.ts';
import { EngineWorld } from '../../support/engine-world.ts';
import { turns } from '../../support/virtual-clock.ts';

function agentOf(run: (ctx: AgentContext) => Promise<unknown>): Agent {
  return defineAgent({ name: 'subject', input: z.unknown(), output: z.unknown(), run });
}

/** Drives a job that suspends at least once; what `run` noted in the first run and in the last. */
async function driven(
  run: (ctx: AgentContext, after: (ms: number) => Promise<number>) => Promise<unknown>,
): Promise<{ world: EngineWorld; jobId: string; result: unknown }> {
  const world: EngineWorld = new EngineWorld([
    agentOf((ctx) =>
      run(
        ctx,
        (ms) =>
          new Promise((resolve) => {
            world.clock.setTimer(ms, () => {
              resolve(ms);
            });
          }),
      ),
    ),
  ]);
  const jobId = await world.submit('subject');
  await world.drive(jobId);
  return { world, jobId, result: await world.result(jobId) };
}

describe('the order of settling', () => {
  it('gives a race the same winner in every replay', async () => {
    const winners: string[] = [];
    await driven(async (ctx, after) => {
      const slow = ctx.step('slow', () => after(2_000)).then(() => 'slow');
      const fast = ctx.step('fast', () => after(1_000)).then(() => 'fast');
      winners.push(await Promise.race([slow, fast]));
      await Promise.all([slow, fast]);
      await ctx.sleep('nap', '1h');
      await ctx.sleep('again', '1h');
    });

    expect(winners).toEqual(['fast', 'fast', 'fast']);
  });

  it('gives a race of a step and a sleep the same winner in every replay', async () => {
    const winners: string[] = [];
    await driven(async (ctx, after) => {
      const race = async (name: string, stepMs: number): Promise<void> => {
        await ctx.scope(name, async (scope) => {
          const step = scope.step('step', () => after(stepMs)).then(() => 'step');
          const sleep = scope.sleep('sleep', '2s').then(() => 'sleep');
          winners.push(await Promise.race([step, sleep]));
          await Promise.all([step, sleep]);
        });
      };
      await race('one', 1_000);
      await race('two', 3_000);
      await ctx.sleep('nap', '1h');
    });

    expect(winners).toEqual(['step', 'sleep', 'step', 'sleep']);
  });

  it('begins no more items of a map in a replay than in the first run', async () => {
    const begun: number[][] = [];
    const { result } = await driven(async (ctx, after) => {
      const items: number[] = [];
      begun.push(items);
      const failed = await ctx
        .map('item', [0, 1, 2], { concurrency: 2 }, (n, item) => {
          items.push(n);
          return item.step(
            'work',
            async () => {
              await after(n === 0 ? 2_000 : 1_000);
              if (n === 1) throw new Error('no');
            },
            { retries: 0 },
          );
        })
        .catch(() => 'failed');
      await ctx.sleep('nap', '1h');
      return failed;
    });

    expect(result).toBe('failed');
    expect(begun).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });

  describe('when a large outcome has to be fetched', () => {
    const large = 'x'.repeat(9_000);

    /** Drives a job whose payloads take a second to be read, and come from there in every slice. */
    async function drivenSlowly(agents: Agent[]): Promise<EngineWorld> {
      const world = new EngineWorld(agents);
      const { payloads } = world.deps;
      const get: typeof payloads.get = async (ref) => {
        await new Promise<void>((resolve) => {
          world.clock.setTimer(1_000, resolve);
        });
        return payloads.get(ref);
      };
      Object.assign(world.deps, { payloads: { ...payloads, get } });
      await world.drive(await world.submit('subject'));
      return world;
    }

    it('gives a race the same winner in every replay', async () => {
      const winners: string[] = [];
      await drivenSlowly([
        agentOf(async (ctx) => {
          const first = ctx.step('first', () => large).then(() => 'large');
          const second = ctx
            .step('second', () => new Promise((resolve) => setImmediate(resolve, 'small')))
            .then(() => 'small');
          winners.push(await Promise.race([first, second]));
          await Promise.all([first, second]);
          await ctx.sleep('nap', '1h');
        }),
      ]);

      expect(winners).toEqual(['large', 'large']);
    });

    it('begins as many items of a map as in the first run', async () => {
      const begun: number[][] = [];
      await drivenSlowly([
        agentOf(async (ctx) => {
          const items: number[] = [];
          begun.push(items);
          await ctx
            .map('item', [0, 1, 2], { concurrency: 2 }, async (n, item) => {
              items.push(n);
              const handle = await item.spawn('part', 'child', { fails: n === 1 });
              return ctx.join([handle]);
            })
            .catch(() => 'failed');
          await ctx.sleep('nap', '1h');
        }),
        defineAgent({
          name: 'child',
          input: z.object({ fails: z.boolean() }),
          output: z.unknown(),
          run: async (ctx, { fails }) => {
            if (!fails) return large;
            await ctx.sleep('nap', '1m');
            throw new Error('no');
          },
        }),
      ]);

      expect(begun.at(-1)).toEqual([0, 1, 2]);
      expect(new Set(begun.map((items) => items.join()))).toEqual(new Set(['0,1', '0,1,2']));
    });

    it('gives a signal its turn although its schema takes time', async () => {
      const winners: string[] = [];
      const slowly = z.unknown().refine(() => turns(5).then(() => true));
      const world = new EngineWorld([
        agentOf(async (ctx) => {
          const signal = ctx.waitForSignal('answer', { schema: slowly }).then(() => 'signal');
          const step = ctx.step('work', () => turns(50)).then(() => 'step');
          winners.push(await Promise.race([signal, step]));
          await Promise.all([signal, step]);
          await ctx.sleep('nap', '1h');
        }),
      ]);
      const jobId = await world.submit('subject');
      await signalJob(world.deps, { jobId, tenantId: 'acme', name: 'answer', body: {} });
      await world.drive(jobId);

      expect(winners).toEqual(['signal', 'signal']);
    });
  });
});

describe('what cannot be', () => {
  const child = defineAgent({
    name: 'child',
    input: z.unknown(),
    output: z.unknown(),
    run: () => Promise.resolve(7),
  });

  it('is no obstacle when a handle is joined twice', async () => {
    const world = new EngineWorld([
      agentOf(async (ctx) => {
        const handle = await ctx.spawn('a', 'child', {});
        return ctx.join([handle, handle]);
      }),
      child,
    ]);
    const jobId = await world.submit('subject');
    await world.drive(jobId, 40);

    expect(await world.result(jobId)).toEqual([7, 7]);
  });

  const throwing = new Proxy(
    {},
    {
      get: () => {
        throw new Error('not to be read');
      },
    },
  );
  it.each([
    {
      name: 'a join of a job that was not spawned',
      code: 'invalid_option',
      run: (ctx: AgentContext) => ctx.join([{ jobId: 'job_x', agent: 'child' }]),
    },
    {
      name: 'a signal that no client can send',
      code: 'invalid_option',
      run: (ctx: AgentContext) => ctx.waitForSignal('manager decision', { schema: z.unknown() }),
    },
    {
      name: 'a sleep of longer than any job',
      code: 'invalid_duration',
      run: (ctx: AgentContext) => ctx.sleep('long', '99999999999999999999d'),
    },
    {
      name: 'a log level that there is not',
      code: 'invalid_option',
      run: (ctx: AgentContext) => {
        ctx.log('x', {}, 'fatal' as 'error');
        return Promise.resolve();
      },
    },
    {
      name: 'a step id that no text can hold',
      code: 'invalid_step_id',
      run: (ctx: AgentContext) => ctx.step('\ud800', () => 1),
    },
  ])('fails the job with a clear error: $name', async ({ run, code }) => {
    const world = new EngineWorld([agentOf(run)]);
    const jobId = await world.submit('subject');

    const job = await world.drive(jobId, 40);

    expect(job.error?.cause?.code ?? job.error?.code).toBe(code);
  });

  it.each([
    {
      name: 'with a huge name',
      thrown: Object.assign(new Error('x'), { name: 'n'.repeat(600_000) }),
    },
    {
      name: 'with a huge code',
      thrown: Object.assign(new Error('x'), { code: 'c'.repeat(600_000) }),
    },
    { name: 'that cannot be read', thrown: throwing },
    { name: 'that is a symbol', thrown: Symbol('s') },
  ])('is recorded all the same: an error $name', async ({ thrown }) => {
    const world = new EngineWorld([
      agentOf((ctx) => ctx.step('s', () => Promise.reject(thrown as Error), { retries: 0 })),
    ]);
    const jobId = await world.submit('subject');

    const job = await world.drive(jobId, 40);

    expect(job).toMatchObject({
      status: 'failed',
      epoch: 1,
      error: { code: 'step_failed', step: 's' },
    });
  });

  it('names signals by one rule, in the engine and in the API', () => {
    for (const name of ['a', 'A.b_c-9', 'x'.repeat(64), '', 'a b', 'a/b', 'x'.repeat(65), 'ä']) {
      expect(SIGNAL_NAME.test(name)).toBe(signalNameSchema.safeParse(name).success);
    }
  });
});
