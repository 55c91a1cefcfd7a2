import { afterAll, describe, it } from '@jest/globals';
import { RuleTester } from 'eslint';
import tseslint from 'typescript-eslint';
import { noNondeterminismOutsideStep } from '../../../src/agent/eslint/no-nondeterminism-outside-step.ts';

Object.assign(RuleTester, { describe, it, itOnly: it.only, afterAll });

const tester = new RuleTester({
  languageOptions: { parser: tseslint.parser, sourceType: 'module' },
});

/** An agent with this code in its `run`. */
const agent = (code: string, before = ''): string =>
  `${before}
   export const subject = defineAgent({
     name: 'subject',
     async run(ctx, input) { ${code} },
   });`;

const outside = (what: string) => ({ messageId: 'outsideStep' as const, data: { what } });

/** What a replay would see differently, and the name by which it is reported. */
const SOURCES: readonly [code: string, what: string, before?: string][] = [
  ['Date.now()', 'Date.now'],
  ['new Date()', 'the present date'],
  ['Date()', 'the present date'],
  ['Math.random()', 'Math.random'],
  ['Math["random"]()', 'Math.random'],
  ['[3, 1].map(Math.random)', 'Math.random'],
  ['performance.now()', 'performance.now'],
  ['crypto.randomUUID()', 'crypto.randomUUID'],
  ['globalThis.crypto.randomUUID()', 'crypto.randomUUID'],
  ['crypto.getRandomValues(new Uint8Array(4))', 'crypto.getRandomValues'],
  ['setTimeout(() => 1, 5)', 'setTimeout'],
  ['setInterval(() => 1, 5)', 'setInterval'],
  ['globalThis.setTimeout(() => 1, 5)', 'setTimeout'],
  ['AbortSignal.timeout(5)', 'AbortSignal.timeout'],
  ['await fetch("https://example.com")', 'fetch'],
  ['new WebSocket("wss://example.com")', 'WebSocket'],
  ['process.env.KEY', 'process.env.KEY'],
  ['process.hrtime()', 'process.hrtime'],
  ['readFileSync("a")', 'readFileSync of fs', 'import { readFileSync } from "node:fs";'],
  ['fs.readFileSync("a")', 'fs.readFileSync of fs', 'import * as fs from "fs";'],
  [
    'await readFile("a")',
    'readFile of fs/promises',
    'import { readFile } from "node:fs/promises";',
  ],
  ['net.connect(1)', 'net.connect of net', 'import net from "node:net";'],
  ['https.get("x")', 'https.get of https', 'import https from "node:https";'],
  [
    'await delay(5)',
    'delay of timers/promises',
    'import { setTimeout as delay } from "node:timers/promises";',
  ],
  ['randomUUID()', 'randomUUID of crypto', 'import { randomUUID } from "node:crypto";'],
  ['c.randomBytes(8)', 'c.randomBytes of crypto', 'import * as c from "node:crypto";'],
];

tester.run('no-nondeterminism-outside-step', noNondeterminismOutsideStep, {
  invalid: [
    ...SOURCES.map(([code, what, before]) => ({
      name: `${code} in run`,
      code: agent(code, before),
      errors: [outside(what)],
    })),
    {
      name: 'at the top of the module',
      code: agent('return startedAt', 'const startedAt = Date.now();'),
      errors: [outside('Date.now')],
    },
    {
      name: 'in a branch of a map, outside of its step',
      code: agent(
        'await ctx.map("m", input, {}, async (n, each) => { const at = Date.now(); await each.step("s", () => at); })',
      ),
      errors: [outside('Date.now')],
    },
    {
      name: 'in the clean-up',
      code: 'defineAgent({ async run() {}, async onCancel(ctx) { await fetch("x") } })',
      errors: [outside('fetch')],
    },
    {
      name: 'in a helper that run calls',
      code: agent('return now()', 'const now = () => Date.now();'),
      errors: [outside('Date.now')],
    },
    {
      name: 'in a helper that a helper calls, and that a step calls as well',
      code: agent(
        'await ctx.step("s", () => inner()); return outer()',
        'function inner() { return Math.random() } function outer() { return inner() }',
      ),
      errors: [outside('Math.random')],
    },
    {
      name: 'in a method of an object that run uses',
      code: agent('return clock.now()', 'const clock = { now: () => Date.now() };'),
      errors: [outside('Date.now')],
    },
    {
      name: 'in a function that gets the context',
      code: 'export async function part(ctx: AgentContext) { await ctx.step("s", () => 1); return Date.now() }',
      errors: [outside('Date.now')],
    },
    {
      name: 'in a function that gets a scope by another name',
      code: 'export const part = async (page: Scope) => { const at = Date.now(); return page.step("s", () => at) }',
      errors: [outside('Date.now')],
    },
    {
      name: 'in the id or the options of a step',
      code: agent('await ctx.step(`s-${Date.now()}`, () => 1, { retries: Math.random() })'),
      errors: [outside('Date.now'), outside('Math.random')],
    },
    {
      name: 'in a value that is made before the step',
      code: agent('await ctx.step("s", make(Date.now()))'),
      errors: [outside('Date.now')],
    },
    {
      name: 'in the schema of the input',
      code: 'defineAgent({ input: z.number().refine((n) => n < Date.now()), async run() {} })',
      errors: [outside('Date.now')],
    },
    {
      name: 'in a factory of agents',
      code: 'export function make(send) { return defineAgent({ async run(ctx) { return Date.now() } }) }',
      errors: [outside('Date.now')],
    },
  ],
  valid: [
    ...SOURCES.map(([code, , before]) => ({
      name: `${code} in a step`,
      code: agent(`await ctx.step('s', async () => { ${code} })`, before),
    })),
    { name: 'a date that is given', code: agent('return new Date(input.at).getTime()') },
    { name: 'other uses of Math and Date', code: agent('return Math.max(1, Date.parse(input))') },
    {
      name: 'a step of a scope',
      code: agent('await ctx.scope("a", (s) => s.step("b", () => fetch("x")))'),
    },
    {
      name: 'a step that was destructured',
      code: agent('const { step } = ctx; await step("s", () => fetch("x"))'),
    },
    { name: 'what a step is given as it is', code: agent('await ctx.step("s", Math.random)') },
    {
      name: 'a helper that only steps call',
      code: agent(
        'await ctx.step("s", () => load(input))',
        'async function load(id) { return fetch(id) }',
      ),
    },
    {
      name: 'a helper that is the function of a step',
      code: agent('const load = () => fetch("x"); await ctx.step("s", load)'),
    },
    {
      name: 'a helper whose callers are elsewhere',
      code: 'export async function load(id: string, signal: AbortSignal) { return fetch(id, { signal }) }',
    },
    {
      name: 'names that the file declares',
      code: agent(
        'return fetch(setTimeout(process.env))',
        'import { fetch, setTimeout, process } from "./mine.ts";',
      ),
    },
    {
      name: 'hashing',
      code: agent('return createHash("sha256")', 'import { createHash } from "node:crypto";'),
    },
    {
      name: 'types',
      code: 'import type { Stats } from "node:fs"; export type At = typeof Date.now | Stats;',
    },
    {
      name: 'a type of the platform',
      code: agent('return input as ReturnType<typeof setTimeout>'),
    },
  ],
});

// Without a parser for TypeScript, as in an app that is written in JavaScript.
new RuleTester().run('no-nondeterminism-outside-step in JavaScript', noNondeterminismOutsideStep, {
  invalid: [{ code: agent('return Date.now()'), errors: [outside('Date.now')] }],
  valid: [agent('return ctx.step("s", () => Date.now())')],
});
