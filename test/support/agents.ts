/**
 * Agents for contract and crash tests. A local cloud deploys them in place of `agents/index.ts` with
 * `--context agentsEntry=test/support/agents.ts`. Each does one thing that a test needs; none calls out.
 */
import { appendFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import {
  defineAgent,
  defineRegistry,
  RetryableError,
  TerminalError,
} from '../../src/agent/index.ts';

const unchecked = z.unknown();

/** Gives back what it got, through one step: input, step outcome and result have the same size. */
const echo = defineAgent({
  name: 'echo',
  input: z.object({ value: z.unknown() }),
  output: z.object({ value: z.unknown() }),
  run: async (ctx, { value }) => ({ value: await ctx.step('echo', () => value) }),
});

/** Grows: a small input, a step outcome and a result of about `bytes`. */
const grow = defineAgent({
  name: 'grow',
  input: z.object({ bytes: z.int().min(0).max(8_000_000) }),
  output: z.object({ text: z.string() }),
  run: async (ctx, { bytes }) => ({ text: await ctx.step('grow', () => 'x'.repeat(bytes)) }),
});

/** A schema with places to point at. */
const order = defineAgent({
  name: 'order',
  input: z.strictObject({
    customer: z.object({ name: z.string().min(1), 'e/mail': z.email().optional() }),
    lines: z.array(z.object({ article: z.string(), count: z.int().positive() })).min(1),
  }),
  output: z.object({ count: z.number() }),
  run: (_ctx, { lines }) =>
    Promise.resolve({ count: lines.reduce((sum, line) => sum + line.count, 0) }),
});

/** `steps` steps one after the other, `stepMs` each, with progress unless told not to; the job the cost figures are about when left at five. */
const fiveSteps = defineAgent({
  name: 'five-steps',
  input: z.object({
    steps: z.int().min(1).max(1_000).default(5),
    stepMs: z.int().min(0).max(60_000).default(0),
    progress: z.boolean().default(true),
  }),
  output: z.object({ sum: z.number() }),
  async run(ctx, { steps, stepMs, progress }) {
    let sum = 0;
    for (let number = 1; number <= steps; number++) {
      sum += await ctx.step(`step-${number}`, async ({ signal }) => {
        if (stepMs > 0) await delay(stepMs, undefined, { signal });
        return number;
      });
      const message = `step ${number} of ${steps}`;
      if (progress) ctx.progress({ completed: number, total: steps, message });
    }
    return { sum };
  },
});

/** A step for every item, `concurrency` at once. */
const fanOut = defineAgent({
  name: 'fan-out',
  input: z.object({
    items: z.int().min(0).max(2_000),
    concurrency: z.int().min(1).max(100).default(10),
    bytes: z.int().min(0).max(1_000_000).default(10),
  }),
  output: z.object({ bytes: z.number() }),
  async run(ctx, { items, concurrency, bytes }) {
    const texts = await ctx.map(
      'item',
      Array.from({ length: items }, (_, index) => index),
      { concurrency },
      (index, scope) => scope.step('make', () => String(index % 10).repeat(bytes)),
    );
    return { bytes: texts.reduce((sum, text) => sum + text.length, 0) };
  },
});

/** Waits `ms` in one step that ignores its signal unless `obedient`. */
const sleepy = defineAgent({
  name: 'sleepy',
  input: z.object({
    ms: z.int().min(0).max(600_000),
    obedient: z.boolean().default(true),
    timeoutMs: z.int().positive().default(240_000),
    retries: z.int().min(0).default(3),
  }),
  output: z.object({ tries: z.number() }),
  run: async (ctx, { ms, obedient, timeoutMs, retries }) => ({
    tries: await ctx.step(
      'sleep',
      async ({ attempt, signal }) => {
        await delay(ms, undefined, obedient ? { signal } : {});
        return attempt;
      },
      { timeout: `${timeoutMs}ms`, retries, backoff: { base: '10ms', max: '100ms' } },
    ),
  }),
});

/** Sleeps between two steps: suspended, so no worker holds it meanwhile. */
const nap = defineAgent({
  name: 'nap',
  input: z.object({ ms: z.int().min(0).max(86_400_000) }),
  output: z.object({ before: z.number(), after: z.number() }),
  async run(ctx, { ms }) {
    const before = await ctx.step('before', () => Date.now());
    await ctx.sleep('nap', `${ms}ms`);
    return { before, after: await ctx.step('after', () => Date.now()) };
  },
});

/** Its step fails `failures` times and then succeeds. */
const flaky = defineAgent({
  name: 'flaky',
  input: z.object({ failures: z.int().min(0).max(10) }),
  output: z.object({ tries: z.number(), keys: z.array(z.string()) }),
  run: (ctx, { failures }) =>
    ctx.step(
      'try',
      ({ attempt, idempotencyKey }) => {
        if (attempt <= failures) {
          throw new RetryableError(`try ${attempt} of ${failures + 1} fails`, {
            retryAfter: '10ms',
          });
        }
        return { tries: attempt, keys: [idempotencyKey] };
      },
      { retries: 10 },
    ),
});

/** Its second step always fails: with tries to spare, or for good at once. */
const failing = defineAgent({
  name: 'failing',
  input: z.object({ terminal: z.boolean().default(false), retries: z.int().min(0).default(1) }),
  output: unchecked,
  async run(ctx, { terminal, retries }) {
    await ctx.step('first', () => 'done');
    return ctx.step(
      'break',
      () => {
        const cause = new Error('downstream said 503');
        if (terminal) throw new TerminalError('cannot be done', { cause });
        throw new Error('cannot be done now', { cause });
      },
      { retries, backoff: { base: '10ms', max: '20ms' } },
    );
  },
});

/** Throws outside of any step, after one. */
const throwing = defineAgent({
  name: 'throwing',
  input: unchecked,
  output: unchecked,
  async run(ctx) {
    await ctx.step('first', () => 'done');
    throw new Error('run itself is broken');
  },
});

/** Takes its environment down with it: out of memory, an endless loop, or `process.exit`. */
const deadly = defineAgent({
  name: 'deadly',
  input: z.object({
    how: z.enum(['oom', 'busy-loop', 'exit']),
    /** Tries that do so; the next one succeeds. */
    times: z.int().min(0).default(1_000),
  }),
  output: z.object({ tries: z.number() }),
  limits: { maxAttempts: 3 },
  async run(ctx, { how, times }) {
    await ctx.step('first', () => 'done');
    // The attempt of the job, since a try that dies leaves no record.
    const attempt = ctx.attempt;
    return {
      tries: await ctx.step('die', () => (attempt <= times ? die(how) : attempt)),
    };
  },
});

function die(how: 'oom' | 'busy-loop' | 'exit'): number {
  if (how === 'exit') process.exit(1);
  const hoard: number[][] = [];
  for (;;) if (how === 'oom') hoard.push(new Array<number>(1_000_000).fill(hoard.length));
}

/** Returns what its output schema refuses. */
const wrongResult = defineAgent({
  name: 'wrong-result',
  input: unchecked,
  output: z.object({ count: z.number() }),
  run: async (ctx) => ({ count: await ctx.step('count', () => 'three' as unknown as number) }),
});

/** Waits for a signal `answer` after a step of `announceMs`, and for a second one `again` when asked to. */
const ask = defineAgent({
  name: 'ask',
  input: z.object({
    announceMs: z.int().min(0).max(60_000).default(0),
    timeoutMs: z.int().min(1).max(86_400_000).default(3_600_000),
    again: z.boolean().default(false),
  }),
  output: z.object({ answers: z.array(z.string()) }),
  async run(ctx, { announceMs, timeoutMs, again }) {
    await ctx.step('announce', ({ signal }) => delay(announceMs, 'announced', { signal }));
    const schema = z.object({ text: z.string() });
    const answers = [await ctx.waitForSignal('answer', { schema, timeout: `${timeoutMs}ms` })];
    if (again) answers.push(await ctx.waitForSignal('again', { schema, name: 'answer' }));
    return { answers: answers.map(({ text }) => text) };
  },
});

/** Works in one step of `ms` and tidies up after a cancel. */
const tidy = defineAgent({
  name: 'tidy',
  input: z.object({ ms: z.int().min(0).max(240_000) }),
  output: z.object({ done: z.boolean() }),
  async run(ctx, { ms }) {
    await ctx.step('work', ({ signal }) => delay(ms, 'worked', { signal }), { timeout: '240s' });
    await ctx.step('not-after-a-cancel', () => 'done');
    return { done: true };
  },
  async onCancel(ctx) {
    await ctx.step('tidy-up', () => 'tidied');
  },
});

/** Spawns a sub-job for every input and gives their results in order; failures too when told to `collect`. */
const family = defineAgent({
  name: 'family',
  input: z.object({
    agent: z.string(),
    inputs: z.array(z.unknown()).max(1_000),
    collect: z.boolean().default(false),
  }),
  output: z.object({ results: z.array(z.unknown()) }),
  async run(ctx, { agent, inputs, collect }) {
    const children = await Promise.all(
      inputs.map((input, index) => ctx.spawn(`child-${index}`, agent, input)),
    );
    const results: unknown[] = collect
      ? await ctx.join(children, { onFailure: 'collect' })
      : await ctx.join(children);
    return { results };
  },
});

/** Its last step fails until a hint says `please`, with a dead letter if told so; what it did before is in the result. */
const stubborn = defineAgent({
  name: 'stubborn',
  input: z.object({ letter: z.boolean().default(false) }),
  output: z.object({ plannedAt: z.number(), draftedAt: z.number(), hints: z.array(z.string()) }),
  async run(ctx, { letter }) {
    const plannedAt = await ctx.step('plan', () => Date.now());
    const draftedAt = await ctx.step('draft', () => Date.now());
    const hints = [...ctx.hints];
    const refusal = letter ? new Error('no please') : new TerminalError('nobody said please');
    await ctx.step(
      'deliver',
      () => {
        if (!hints.includes('please')) throw refusal;
        return 'delivered';
      },
      { retries: 0 },
    );
    return { plannedAt, draftedAt, hints };
  },
});

/**
 * A bit of everything: steps that leave a line in `effects` each time they run, a sleep, tries that fail, a signal, sub-jobs.
 */
const mixed = defineAgent({
  name: 'mixed',
  input: z.object({
    effects: z.string().min(1),
    sleepMs: z.int().min(0).max(60_000).default(2_000),
    children: z.int().min(0).max(20).default(0),
    signal: z.boolean().default(false),
  }),
  output: z.object({ parts: z.array(z.number()), children: z.number(), said: z.string() }),
  async run(ctx, { effects, sleepMs, children, signal }) {
    const note = (stepId: string, idempotencyKey: string) =>
      appendFile(effects, `${ctx.jobId} ${stepId} ${idempotencyKey}\n`);
    await ctx.step('first', ({ idempotencyKey }) => note('first', idempotencyKey));
    await ctx.sleep('nap', `${sleepMs}ms`);
    const parts = await ctx.map('part', [1, 2, 3], { concurrency: 2 }, (part, item, index) =>
      item.step(
        'work',
        async ({ attempt, idempotencyKey, signal: aborted }) => {
          await note(`part[${index}]`, idempotencyKey);
          await delay(200, undefined, { signal: aborted });
          if (attempt === 1 && part === 2) throw new Error('the first try fails');
          return part * 10;
        },
        { backoff: { base: '100ms', max: '500ms' } },
      ),
    );
    const handles = await Promise.all(
      Array.from({ length: children }, (_, n) =>
        ctx.spawn(`child-${n}`, 'mixed', { effects, sleepMs: 500 }),
      ),
    );
    await ctx.join(handles);
    const { text } = signal
      ? await ctx.waitForSignal('go', { schema: z.object({ text: z.string() }) })
      : { text: '' };
    await ctx.step('last', ({ idempotencyKey }) => note('last', idempotencyKey));
    return { parts, children: handles.length, said: text };
  },
});

/** Puts a secret everywhere it can: progress, log, step, and result, error, signal wait or sub-job. */
const whisper = defineAgent({
  name: 'whisper',
  input: z.object({ secret: z.string(), then: z.enum(['succeed', 'fail', 'wait', 'spawn']) }),
  output: z.object({ secret: z.string() }),
  async run(ctx, { secret, then }) {
    ctx.progress({ message: secret });
    ctx.log(secret, { secret });
    await ctx.step('whisper', () => secret);
    if (then === 'fail') {
      const fail = () => {
        throw new TerminalError(secret, { cause: new Error(secret) });
      };
      await ctx.step('fail', fail);
    }
    if (then === 'wait') await ctx.waitForSignal('go', { schema: z.unknown(), timeout: '1h' });
    if (then === 'spawn') {
      const child = await ctx.spawn('child', 'whisper', { secret, then: 'succeed' });
      await ctx.join([child]);
    }
    return { secret };
  },
});

/**
 * Has a secret in what it is given, logs, records and returns, and in the fields of the error of a service that refuses it, as the
 * errors of HTTP clients do; never in a message.
 */
const discreet = defineAgent({
  name: 'discreet',
  input: z.object({ secret: z.string(), then: z.enum(['succeed', 'fail', 'wait']) }),
  output: z.object({ secret: z.string() }),
  async run(ctx, { secret, then }) {
    ctx.log('begins', { secret: secret.slice(0, 1_000) });
    await ctx.step('remember', () => secret);
    if (then === 'wait') await ctx.waitForSignal('go', { schema: z.unknown(), timeout: '1h' });
    if (then === 'fail') {
      const refused = () => {
        throw Object.assign(new Error('the service is busy'), {
          name: 'ServiceError',
          statusCode: 503,
          requestId: 'downstream-1',
          config: { headers: { authorization: `Bearer ${secret}` } },
          secret,
        });
      };
      await ctx.step('call', refused, { retries: 0 });
    }
    return { secret };
  },
});

export const registry = defineRegistry(
  discreet,
  whisper,
  mixed,
  echo,
  grow,
  order,
  fiveSteps,
  fanOut,
  sleepy,
  nap,
  flaky,
  failing,
  throwing,
  deadly,
  wrongResult,
  ask,
  tidy,
  family,
  stubborn,
);
