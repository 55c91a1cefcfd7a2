import { beforeEach, describe, expect, it } from '@jest/globals';
import { throttled } from '../../lambdas/http/throttled.ts';
import { httpHandler } from '../../lambdas/http/http-handler.ts';
import { memoryRequestCounter } from '../../src/adapters/memory/request-counter.ts';
import type { RequestCounter } from '../../src/core/ports/request-counter.ts';
import { RequestThrottle, THROTTLE_WINDOW_MS } from '../../src/core/tenants/request-throttle.ts';
import { NOON } from '../support/builders.ts';
import {
  ACME,
  anEvent,
  bodyOf,
  LAMBDA_CONTEXT,
  recordingTelemetry,
  type RecordingTelemetry,
  type RequestParts,
} from '../support/http.ts';

let now: number;
let telemetry: RecordingTelemetry;
let counter: RequestCounter;
let reports: number[];

beforeEach(() => {
  now = NOON;
  telemetry = recordingTelemetry();
  const inner = memoryRequestCounter();
  reports = [];
  counter = {
    add: (tenantId, window, requests) => {
      reports.push(requests);
      return inner.add(tenantId, window, requests);
    },
  };
});

const environment = () =>
  new RequestThrottle({
    counter: { add: (...of) => counter.add(...of) },
    clock: { now: () => now },
    telemetry,
  });

/** How many of so many requests pass, in the order of environments given. */
async function passing(
  throttles: readonly RequestThrottle[],
  requests: number,
  { rate = 10, tenantId = 'acme', isHeld = false } = {},
): Promise<number> {
  let passed = 0;
  for (let at = 0; at < requests; at++) {
    const throttle = throttles[at % throttles.length] as RequestThrottle;
    const after = await throttle.retryAfter({ tenantId, requestsPerSecond: rate, isHeld });
    if (after === undefined) passed++;
  }
  return passed;
}

describe('the throttle of a tenant', () => {
  it('lets exactly its rate pass in one environment', async () => {
    expect(await passing([environment()], 300)).toBe(100);
  });

  it.each([1, 2, 5, 50, 1_000])('holds for a rate of %i', async (rate) => {
    expect(await passing([environment()], rate * 10 + 50, { rate })).toBe(rate * 10);
  });

  it('does nothing without a limit', async () => {
    expect(await passing([environment()], 500, { rate: 0 })).toBe(500);
    expect(reports).toEqual([]);
  });

  it('writes nothing while an environment sees few requests', async () => {
    await passing([environment()], 9);
    expect(reports).toEqual([]);
  });

  it('writes once for ten requests, and not for those that it refuses', async () => {
    await passing([environment()], 300);
    expect(reports).toEqual(Array.from({ length: 10 }, () => 10));
  });

  it('counts over all environments: what passes too much is bounded, too little does not pass', async () => {
    for (const environments of [2, 5, 8]) {
      now += THROTTLE_WINDOW_MS;
      const passed = await passing(
        Array.from({ length: environments }, environment),
        100 + 40 * environments,
      );
      expect(passed).toBeGreaterThanOrEqual(100);
      expect(passed).toBeLessThanOrEqual(100 + 10 * environments);
    }
  });

  it('counts requests that are held one by one', async () => {
    const throttles = Array.from({ length: 100 }, environment);
    expect(await passing(throttles, 200, { isHeld: true })).toBe(100);
  });

  it('keeps tenants apart', async () => {
    const throttle = environment();
    await passing([throttle], 200);
    expect(await passing([throttle], 200, { tenantId: 'beta' })).toBe(100);
  });

  it('says when the next window begins, and lets pass then', async () => {
    now = NOON + 2_500;
    const throttle = environment();
    await passing([throttle], 200);

    const request = { tenantId: 'acme', requestsPerSecond: 10, isHeld: false };
    expect(await throttle.retryAfter(request)).toBe(8);
    now = NOON + 9_999;
    expect(await throttle.retryAfter(request)).toBe(1);
    now = NOON + 10_000;
    expect(await passing([throttle], 200)).toBe(100);
  });

  it('goes by what it knows while the count cannot be had', async () => {
    counter = { add: () => Promise.reject(new Error('down')) };

    expect(await passing([environment()], 300)).toBe(100);

    expect(telemetry.lines[0]).toMatchObject({ level: 'warn', fields: { tenantId: 'acme' } });
  });
});

describe('a throttled route', () => {
  const caller = { ...ACME, requestsPerSecond: '1' };
  const handler = () =>
    httpHandler(
      telemetry,
      throttled({ counter, clock: { now: () => now }, telemetry }, () => ({
        status: 200,
        body: {},
      })),
    );
  const statuses = async (parts: RequestParts, count: number) => {
    const handle = handler();
    const results = [];
    for (let at = 0; at < count; at++) results.push(await handle(anEvent(parts), LAMBDA_CONTEXT));
    return results;
  };

  it('answers 429 with what is allowed and when to come again', async () => {
    const results = await statuses({ caller }, 11);

    expect(results.slice(0, 10).map(({ statusCode }) => statusCode)).toEqual(
      Array.from({ length: 10 }, () => 200),
    );
    const last = results[10];
    expect(last).toMatchObject({ statusCode: 429, headers: { 'retry-after': '10' } });
    expect(last && bodyOf(last)).toMatchObject({
      code: 'throttled',
      detail: expect.stringContaining('1 requests a second'),
    });
    expect(telemetry.lines.at(-1)?.fields).toMatchObject({ tenantId: 'acme', code: 'throttled' });
  });

  it('is for tenants: what is open to anybody passes', async () => {
    const results = await statuses({ caller: null }, 30);
    expect(results.every(({ statusCode }) => statusCode === 200)).toBe(true);
  });
});
