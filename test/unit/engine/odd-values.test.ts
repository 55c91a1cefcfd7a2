import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { type AgentContext, defineAgent } from '../../../src/agent/index.ts';
import type { Job } from '../../../src/core/job/job.ts';
import { EngineWorld } from '../../support/engine-world.ts';

function unreadable(): object {
  const refuse = (): never => {
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- that is the point
    throw unreadable();
  };
  return new Proxy({}, { get: refuse, ownKeys: refuse });
}

/** Name, message, stack and code of nothing but control characters, of which JSON makes six each. */
function allControl(depth = 10): Error {
  const text = '\u0001'.repeat(5_000);
  const cause = depth === 0 ? undefined : allControl(depth - 1);
  const error = new Error(text, { cause });
  return Object.assign(error, { name: text, stack: text, code: text });
}

function cyclic(): Error {
  const error = new Error('round');
  error.cause = new Error('and', { cause: error });
  return error;
}

/** Runs a step twice over, in a first run and in a replay after a sleep; gives what each saw of it. */
async function outcomesOf(fn: () => unknown): Promise<{ job: Job; runs: number; saw: string[] }> {
  let runs = 0;
  const saw: string[] = [];
  const run = async (ctx: AgentContext): Promise<string> => {
    const odd = ctx.step(
      'odd',
      () => {
        runs++;
        return fn();
      },
      { retries: 1, backoff: { base: '1ms', max: '1ms' } },
    );
    await odd.then(
      (value) => saw.push(JSON.stringify(value)),
      (error: unknown) => {
        const { name, message, code } = error as { name: string; message: string; code?: string };
        saw.push([name, code, message].join(' ').slice(0, 60));
      },
    );
    await ctx.sleep('nap', '1h');
    return 'done';
  };
  const agent = defineAgent({ name: 'subject', input: z.unknown(), output: z.unknown(), run });
  const world = new EngineWorld([agent]);
  const job = await world.drive(await world.submit('subject'));
  return { job, runs, saw };
}

const thrower = (value: unknown) => (): never => {
  throw value;
};

describe('whatever a step throws', () => {
  it.each<{ name: string; fn: () => unknown; saw: string }>([
    { name: 'undefined', fn: thrower(undefined), saw: 'Error  undefined' },
    { name: 'null', fn: thrower(null), saw: 'Error  null' },
    { name: 'a symbol', fn: thrower(Symbol('x')), saw: 'Error  Symbol(x)' },
    {
      name: 'a promise',
      fn: thrower(Promise.resolve(1)),
      saw: 'Error  a value without a message was thrown',
    },
    { name: 'a frozen error', fn: thrower(Object.freeze(new Error('cold'))), saw: 'Error  cold' },
    { name: 'an error that is its own cause', fn: thrower(cyclic()), saw: 'Error  round' },
    {
      name: 'an error with an odd name and code',
      fn: thrower(Object.assign(new Error('odd'), { name: Symbol('n'), code: {} })),
      saw: 'Error  odd',
    },
    {
      name: 'an error whose stack cannot be read',
      fn: thrower(Object.defineProperty(new Error('odd'), 'stack', { get: unreadable })),
      saw: 'Error  odd',
    },
    {
      name: 'what cannot be read',
      fn: thrower(unreadable()),
      saw: 'Error  an error was thrown that cannot be read',
    },
    {
      name: 'what cannot be read, from a getter of its outcome',
      fn: () => Object.defineProperty({}, 'a', { enumerable: true, get: unreadable }),
      saw: 'Error  an error was thrown that cannot be read',
    },
    {
      name: 'an error too large for the journal as it is',
      fn: () => thrower(allControl())(),
      saw: ['\u0001'.repeat(42), '… (4958 more characters) '].join('').slice(0, 60),
    },
  ])('is a failed try, and $name the same after a replay', async ({ fn, saw }) => {
    const outcomes = await outcomesOf(fn);

    expect(outcomes).toMatchObject({ job: { status: 'succeeded' }, runs: 2, saw: [saw, saw] });
  });
});

describe('an outcome that JSON cannot hold', () => {
  it('is refused when it is recorded and not tried again, however deep it is nested', async () => {
    const { job, runs, saw } = await outcomesOf(() => {
      let value: unknown = [];
      for (let level = 0; level < 50_000; level++) value = [value];
      return value;
    });

    expect(job.status).toBe('succeeded');
    expect(runs).toBe(1);
    expect(saw).toEqual([
      expect.stringMatching(/^AppError not_serializable \$\[0\]/),
      expect.stringMatching(/^AppError not_serializable \$\[0\]/),
    ]);
  });
});

it('an agent that fails with an error too large for the job item fails with what fits', async () => {
  const agent = defineAgent({
    name: 'subject',
    input: z.unknown(),
    output: z.unknown(),
    run: () => Promise.reject(allControl()),
  });
  const world = new EngineWorld([agent]);

  const { error } = await world.drive(await world.submit('subject'));

  expect(error?.code).toBe('agent_failed');
  expect(JSON.stringify(error).length).toBeLessThan(100_000);
});
