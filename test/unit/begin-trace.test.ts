import { describe, expect, it } from '@jest/globals';
import { systemIdSource } from '../../src/adapters/system/id-source.ts';
import { beginTrace, isSampled } from '../../src/core/trace/begin-trace.ts';
import {
  contextOf,
  formatTraceparent,
  parseTraceparent,
} from '../../src/core/trace/trace-context.ts';
import { NOON } from '../support/builders.ts';
import { memoryTracing } from '../support/memory-tracing.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

const deps = (samplingPercent: number) => ({
  clock: { now: () => NOON },
  ids: systemIdSource,
  tracing: memoryTracing(samplingPercent),
});

describe('the trace of a new job', () => {
  it.each([true, false])(
    "is the caller's, and sampled if the caller says so (%s), whatever the share",
    (sampled) => {
      const caller = { traceId: TRACE, spanId: SPAN, sampled };

      expect(beginTrace(deps(0), caller)).toEqual(caller);
      expect(beginTrace(deps(100), caller)).toEqual(caller);
    },
  );

  it('is the one that the platform has begun, where the caller has none', () => {
    const ambient = () => ({ traceId: TRACE, spanId: SPAN });
    const tracing = { ...memoryTracing(100), ambient };

    const begun = beginTrace({ ...deps(100), tracing }, undefined);

    expect(begun).toEqual({ traceId: TRACE, spanId: SPAN, sampled: true });
  });

  it('begins else with an id that has the time in front, as X-Ray wants it', () => {
    const [one, other] = [beginTrace(deps(100), undefined), beginTrace(deps(100), undefined)];

    expect(one).toEqual({ traceId: expect.stringMatching(/^[0-9a-f]{32}$/), sampled: true });
    expect(Number.parseInt(one.traceId.slice(0, 8), 16)).toBe(Math.floor(NOON / 1_000));
    expect(other.traceId).not.toBe(one.traceId);
  });

  it('has an id for the logs where nothing is traced', () => {
    const { tracing: _none, ...untraced } = deps(0);

    const { traceId, sampled } = beginTrace(untraced, undefined);

    expect(traceId).toHaveLength(32);
    expect(sampled).toBe(false);
  });
});

describe('sampling', () => {
  const ids = Array.from({ length: 10_000 }, (_, index) =>
    systemIdSource.sha256(String(index)).slice(0, 32),
  );

  it.each([
    { percent: 0, least: 0, most: 0 },
    { percent: 5, least: 400, most: 600 },
    { percent: 50, least: 4_700, most: 5_300 },
    { percent: 100, least: 10_000, most: 10_000 },
  ])('takes about $percent % of traces', ({ percent, least, most }) => {
    const taken = ids.filter((id) => isSampled(id, percent)).length;

    expect(taken).toBeGreaterThanOrEqual(least);
    expect(taken).toBeLessThanOrEqual(most);
  });

  it('keeps with a larger share what a smaller one has', () => {
    const taken = ids.filter((id) => isSampled(id, 5));

    expect(taken.every((id) => isSampled(id, 20))).toBe(true);
  });
});

describe('traceparent', () => {
  it.each([true, false])('is read as it was written, sampled or not (%s)', (sampled) => {
    const context = { traceId: TRACE, spanId: SPAN, sampled };

    expect(parseTraceparent(formatTraceparent(context))).toEqual(context);
  });

  it('is well-formed for a trace that has no span yet', () => {
    const traceparent = formatTraceparent(contextOf({ traceId: TRACE, sampled: false }));

    expect(parseTraceparent(traceparent)?.traceId).toBe(TRACE);
  });

  it.each([
    undefined,
    '',
    TRACE,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-more`,
  ])('counts for nothing when it is %s', (text) => {
    expect(parseTraceparent(text)).toBeUndefined();
  });
});
