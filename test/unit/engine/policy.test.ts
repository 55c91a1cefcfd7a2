import { describe, expect, it } from '@jest/globals';
import { backoffDelayMs } from '../../../src/core/policy/backoff.ts';
import { parseHint } from '../../../src/core/job/parse-hint.ts';
import { decideRehint } from '../../../src/core/sweep/rehint-schedule.ts';
import { createInvocation } from '../../../src/core/engine/run-batch.ts';

describe('backoff with full jitter', () => {
  const backoff = { baseMs: 1_000, maxMs: 60_000 };

  it.each([
    { failed: 1, random: 0.999_999, delay: 999 },
    { failed: 1, random: 0, delay: 0 },
    { failed: 2, random: 0.5, delay: 1_000 },
    { failed: 5, random: 0.5, delay: 8_000 },
    { failed: 7, random: 0.5, delay: 30_000 },
    { failed: 100, random: 0.5, delay: 30_000 },
  ])('waits $delay ms after $failed failed tries at $random', ({ failed, random, delay }) => {
    expect(backoffDelayMs(failed, backoff, random)).toBe(delay);
  });
});

describe('hints for queued jobs', () => {
  it.each([
    { ageMs: 30_000, backlog: false, nextInMs: 30_000, send: true },
    { ageMs: 0, backlog: false, nextInMs: 30_000, send: true },
    { ageMs: 120_000, backlog: false, nextInMs: 120_000, send: true },
    { ageMs: 120_000, backlog: true, nextInMs: 120_000, send: false },
    { ageMs: 1_000_000, backlog: true, nextInMs: 1_000_000, send: true },
    { ageMs: 10_000_000, backlog: false, nextInMs: 3_600_000, send: true },
  ])(
    'at age $ageMs with backlog $backlog: next in $nextInMs, send $send',
    ({ ageMs, backlog, ...expected }) => {
      expect(decideRehint(ageMs, backlog)).toEqual(expected);
    },
  );
});

describe('hint messages', () => {
  const jobId = 'job_' + '0123456789abcdefghjkmnpqrs';

  it.each([
    {
      name: 'a hint',
      body: JSON.stringify({ v: 1, jobId, tenantId: 'acme', reason: 'submitted' }),
      expected: jobId,
    },
    {
      name: 'a hint with fields of a later version',
      body: JSON.stringify({ v: 1, jobId, more: true }),
      expected: jobId,
    },
    { name: 'no JSON', body: 'hello', expected: undefined },
    { name: 'null', body: 'null', expected: undefined },
    { name: 'another version', body: JSON.stringify({ v: 2, jobId }), expected: undefined },
    { name: 'no job id', body: JSON.stringify({ v: 1, jobId: '../etc' }), expected: undefined },
  ])('reads $name', ({ body, expected }) => {
    expect(parseHint(body)?.jobId).toBe(expected);
  });
});

describe('time slices', () => {
  it.each([
    { leftMs: 299_950, sliceMs: 285_000, endsInMs: 284_950 },
    { leftMs: 60_000, sliceMs: 54_000, endsInMs: 54_000 },
    { leftMs: 10_000, sliceMs: 8_000, endsInMs: 8_000 },
    { leftMs: 899_990, sliceMs: 885_000, endsInMs: 884_990 },
  ])(
    'of an invocation with $leftMs ms left end in $endsInMs ms',
    ({ leftMs, sliceMs, endsInMs }) => {
      const batch = { invocationId: 'i', endsAt: 1_000_000 + leftMs };
      const invocation = createInvocation(batch, 1_000_000, {
        alone: true,
        leaseLost: new AbortController().signal,
        attention: new Map(),
        shouldYield: () => false,
      });
      expect(invocation.sliceMs).toBe(sliceMs);
      expect(invocation.sliceEndsAt - 1_000_000).toBe(endsInMs);
    },
  );
});
