import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import {
  type Agent,
  type AgentContext,
  defineAgent,
  defineRegistry,
} from '../../../src/agent/index.ts';
import { restartJob } from '../../../src/core/commands/restart-job.ts';
import { signalJob } from '../../../src/core/commands/signal-job.ts';
import { EngineWorld } from '../../support/engine-world.ts';

type Run = (ctx: AgentContext) => Promise<unknown>;
type Log = string[];

/** One version of an agent; steps note their version and id. */
function versionOf(version: string, run: Run): Agent {
  const any = z.unknown();
  return defineAgent({ name: 'subject', version, input: any, output: any, run });
}

function noted(ctx: AgentContext, log: Log, entry: string): Promise<string> {
  const id = entry.slice(entry.indexOf(' ') + 1);
  return ctx.step(id, () => {
    log.push(entry);
    return entry;
  });
}

/** Runs a job on the first version until it waits, then lets the second one go on. */
async function deployed(before: Run, after: Run) {
  const world = new EngineWorld([versionOf('1', before)]);
  const jobId = await world.submit('subject');
  await world.invoke(jobId);
  expect((await world.job(jobId)).status).toBe('waiting');
  deploy(world, versionOf('2', after));
  const job = await world.drive(jobId);
  return { world, jobId, job, result: await world.result(jobId) };
}

/** A deploy replaces the code of every worker from the next invocation on. */
function deploy(world: EngineWorld, ...agents: Agent[]): void {
  Object.assign(world.deps, { agents: defineRegistry(...agents) });
}

describe('a deploy while jobs wait', () => {
  it('may add steps, before and behind the place where a job waits', async () => {
    const log: Log = [];
    const { job, result } = await deployed(
      async (ctx) => {
        await noted(ctx, log, '1 a');
        await ctx.sleep('nap', '1h');
      },
      async (ctx) => {
        const added = await noted(ctx, log, '2 added');
        const a = await noted(ctx, log, '2 a');
        await ctx.sleep('nap', '1h');
        return [added, a, await noted(ctx, log, '2 b')];
      },
    );

    expect(job.status).toBe('succeeded');
    expect(log).toEqual(['1 a', '2 added', '2 b']);
    expect(result).toEqual(['2 added', '1 a', '2 b']);
  });

  it('may remove steps: their outcomes stay in the trace and count for nothing', async () => {
    const log: Log = [];
    const { world, jobId, result } = await deployed(
      async (ctx) => {
        await noted(ctx, log, '1 a');
        await noted(ctx, log, '1 removed');
        await ctx.sleep('nap', '1h');
      },
      async (ctx) => [await noted(ctx, log, '2 a')],
    );

    expect(result).toEqual(['1 a']);
    const ids = (await world.entries(jobId)).map((entry) => 'stepId' in entry && entry.stepId);
    expect(ids).toEqual(['a', 'removed', 'nap']);
  });

  it('may reorder steps: outcomes are found by id', async () => {
    const log: Log = [];
    const { result } = await deployed(
      async (ctx) => {
        await noted(ctx, log, '1 a');
        await noted(ctx, log, '1 b');
        await ctx.sleep('nap', '1h');
        await noted(ctx, log, '1 c');
      },
      async (ctx) => {
        const c = await noted(ctx, log, '2 c');
        const b = await noted(ctx, log, '2 b');
        await ctx.sleep('nap', '1h');
        return [c, b, await noted(ctx, log, '2 a')];
      },
    );

    expect(log).toEqual(['1 a', '1 b', '2 c']);
    expect(result).toEqual(['2 c', '1 b', '1 a']);
  });

  it('that renames a step makes it run again, under another idempotency key', async () => {
    const keys: string[] = [];
    const send = (id: string): Run => {
      return async (ctx) => {
        await ctx.step(id, ({ idempotencyKey }) => void keys.push(idempotencyKey));
        await ctx.sleep('nap', '1h');
      };
    };
    const { job } = await deployed(send('send'), send('send-mail'));

    expect(job.status).toBe('succeeded');
    expect(keys).toHaveLength(2);
    expect(keys[0]).not.toBe(keys[1]);
  });

  it('may change what a step does: recorded outcomes stay as they were', async () => {
    const { result } = await deployed(
      async (ctx) => {
        await ctx.step('price', () => ({ cents: 100 }));
        await ctx.sleep('nap', '1h');
      },
      async (ctx) => {
        const price = await ctx.step('price', () => ({ cents: 200, currency: 'EUR' }));
        await ctx.sleep('nap', '1h');
        return price;
      },
    );

    // The new code meets the old form: it must know it.
    expect(result).toEqual({ cents: 100 });
  });

  it('may move a sleep or change its length: one that began ends when it was to end', async () => {
    const { world, jobId, job } = await deployed(
      async (ctx) => {
        await ctx.step('a', () => 1);
        await ctx.sleep('nap', '1h');
      },
      async (ctx) => {
        await ctx.sleep('nap', '90d');
        await ctx.step('b', () => 1);
      },
    );

    expect(job.status).toBe('succeeded');
    const [a, nap] = await world.entries(jobId);
    expect((job.finishedAt ?? 0) - (nap?.at ?? 0)).toBeLessThan(2 * 3_600_000);
    expect(a?.type).toBe('step.succeeded');
  });

  it('may turn a step into a scope of steps: the old outcome counts for nothing then', async () => {
    const log: Log = [];
    const { result } = await deployed(
      async (ctx) => {
        await noted(ctx, log, '1 load');
        await ctx.sleep('nap', '1h');
      },
      async (ctx) => ctx.scope('load', (scope) => noted({ ...ctx, ...scope }, log, '2 half')),
    );

    expect(result).toBe('2 half');
    expect(log).toEqual(['1 load', '2 half']);
  });

  it('lets a signal that came before it count for a wait of the same name', async () => {
    const schema = z.object({ approved: z.boolean() });
    const world = new EngineWorld([
      versionOf('1', (ctx) => ctx.waitForSignal('decision', { schema })),
    ]);
    const jobId = await world.submit('subject');
    await world.invoke(jobId);
    deploy(
      world,
      versionOf('2', async (ctx) => {
        await ctx.step('notify', () => 1);
        return ctx.waitForSignal('second-look', { schema, name: 'decision' });
      }),
    );
    const own = { jobId, tenantId: 'acme' };
    await signalJob(world.deps, { ...own, name: 'decision', body: { approved: true } });
    await world.drive(jobId);

    expect(await world.result(jobId)).toEqual({ approved: true });
  });

  it('does not spawn a second sub-job when the spawn kept its id', async () => {
    const any = z.unknown();
    const child = defineAgent({
      name: 'child',
      input: any,
      output: any,
      run: async (ctx) => {
        await ctx.sleep('nap', '2h');
        return 'from the child';
      },
    });
    const world = new EngineWorld([
      versionOf('1', async (ctx) => {
        const handle = await ctx.spawn('one', 'child', {});
        await ctx.sleep('nap', '1h');
        return ctx.join([handle]);
      }),
      child,
    ]);
    const jobId = await world.submit('subject');
    await world.invoke(jobId);
    deploy(
      world,
      versionOf('2', async (ctx) => ctx.join([await ctx.spawn('one', 'child', { changed: true })])),
      child,
    );
    await world.drive(jobId);

    expect(await world.result(jobId)).toEqual(['from the child']);
    expect(world.jobCount('child')).toBe(1);
  });

  it.each([
    {
      name: 'an input schema that refuses what was accepted',
      after: defineAgent({
        name: 'subject',
        input: z.object({ now: z.string() }),
        output: z.unknown(),
        run: () => Promise.resolve('ran'),
      }),
    },
    {
      name: 'a schema of a wait that refuses the signal that was taken',
      after: versionOf('2', (ctx) =>
        ctx.waitForSignal('go', { schema: z.object({ speed: z.number() }) }),
      ),
    },
  ])('ends a job with invalid_input after $name', async ({ after }) => {
    const world = new EngineWorld([
      versionOf('1', async (ctx) => {
        await ctx.waitForSignal('go', { schema: z.unknown() });
        await ctx.sleep('nap', '1h');
      }),
    ]);
    const jobId = await world.submit('subject');
    await signalJob(world.deps, { jobId, tenantId: 'acme', name: 'go', body: {} });
    await world.invoke(jobId);
    deploy(world, after);

    expect(await world.drive(jobId)).toMatchObject({
      status: 'failed',
      error: { code: 'invalid_input' },
    });
  });

  it('leaves outcomes of a map with their index', async () => {
    const log: Log = [];
    const mapped =
      (version: number, items: string[]): Run =>
      async (ctx) => {
        const seen = await ctx.map('item', items, {}, (item, scope) =>
          scope.step('note', () => {
            log.push(`${version} ${item}`);
            return item;
          }),
        );
        await ctx.sleep('nap', '1h');
        return seen;
      };
    const { result } = await deployed(mapped(1, ['a', 'b']), mapped(2, ['new', 'a', 'b']));

    expect(result).toEqual(['a', 'b', 'b']);
    expect(log).toEqual(['1 a', '1 b', '2 b']);
  });

  it('that breaks an agent is made good by the next deploy and a retry', async () => {
    const log: Log = [];
    const { world, jobId, job } = await deployed(
      async (ctx) => {
        await noted(ctx, log, '1 a');
        await ctx.sleep('nap', '1h');
      },
      () => Promise.reject(new TypeError('cannot read properties of undefined')),
    );
    expect(job).toMatchObject({ status: 'failed', agentVersion: '2' });

    deploy(
      world,
      versionOf('3', (ctx) => noted(ctx, log, '3 a')),
    );
    await restartJob(world.deps, { jobId, tenantId: 'acme' });

    expect(await world.drive(jobId)).toMatchObject({ status: 'succeeded', agentVersion: '3' });
    expect(log).toEqual(['1 a']);
  });

  it('shows which version each attempt ran', async () => {
    const { world, jobId, job } = await deployed(
      async (ctx) => {
        await ctx.step('a', () => 1);
        await ctx.sleep('nap', '1h');
      },
      async (ctx) => {
        await ctx.step('b', () => 1);
      },
    );

    const entries = await world.entries(jobId);
    expect(
      entries.flatMap(({ attempt, agentVersion }) =>
        agentVersion ? [[attempt, agentVersion]] : [],
      ),
    ).toEqual([
      [1, '1'],
      [2, '2'],
    ]);
    expect(job.agentVersion).toBe('2');
  });
});

describe('an agent that vanished with a deploy', () => {
  it('leaves its jobs waiting, says so, counts, and goes on where it was once it is back', async () => {
    const log: Log = [];
    const counted: string[] = [];
    const agent = versionOf('1', async (ctx) => {
      await noted(ctx, log, '1 a');
      await ctx.sleep('nap', '1h');
      return noted(ctx, log, '1 b');
    });
    const world = new EngineWorld([agent]);
    const telemetry = { ...world.deps.telemetry, count: (name: string) => void counted.push(name) };
    Object.assign(world.deps, { telemetry });
    const jobId = await world.submit('subject');
    await world.invoke(jobId);

    deploy(world);
    await world.advanceTo(world.clock.now() + 86_400_000);
    expect(await world.job(jobId)).toMatchObject({
      status: 'waiting',
      waitingFor: 'agent_missing',
      crashes: 0,
    });
    expect(counted.filter((name) => name === 'AgentMissing').length).toBeGreaterThan(10);

    deploy(world, agent);
    const backAt = world.clock.now();
    const job = await world.drive(jobId);

    expect(job.status).toBe('succeeded');
    expect(log).toEqual(['1 a', '1 b']);
    // It is looked at every five minutes.
    expect((job.finishedAt ?? Infinity) - backAt).toBeLessThanOrEqual(310_000);
  });
});
