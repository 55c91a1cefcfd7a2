import { describe, expect, it } from '@jest/globals';
import { nextTryAt } from '../../../src/core/notify/retry-schedule.ts';

const HOUR = 3_600_000;
const POLICY = { firstRetryMs: 5_000, giveUpAfterMs: 72 * HOUR };
const NOW = 1_000_000;

const pauseAfter = (failedTries: number, random: number, more: object = {}) => {
  const next = nextTryAt(POLICY, { at: NOW, failedTries, triedSince: NOW, ...more }, random);
  return next === undefined ? undefined : next - NOW;
};

describe('when a webhook is tried again', () => {
  it.each([
    [1, 5_000],
    [2, 15_000],
    [3, 45_000],
    [4, 135_000],
    [8, 5_000 * 3 ** 7],
    [9, 8 * HOUR],
    [100, 8 * HOUR],
  ])('after %i failed tries is within %i ms, anywhere in it', (failedTries, ceiling) => {
    expect(pauseAfter(failedTries, 0)).toBe(0);
    expect(pauseAfter(failedTries, 0.5)).toBe(Math.floor(ceiling / 2));
    expect(pauseAfter(failedTries, 0.999_999)).toBeLessThan(ceiling);
  });

  it.each([
    ['asks for longer', 600_000, 600_000],
    ['asks for less', 1_000, 2_500],
    ['asks for a year', 365 * 24 * HOUR, 24 * HOUR],
    ['asks for the past', -5, 2_500],
  ])('follows a receiver that %s, within bounds', (_what, retryAfterMs, expected) => {
    expect(pauseAfter(1, 0.5, { retryAfterMs })).toBe(expected);
  });

  it('is never, once its time is over', () => {
    expect(pauseAfter(20, 0, { triedSince: NOW - 72 * HOUR })).toBe(0);
    expect(pauseAfter(20, 0, { triedSince: NOW - 72 * HOUR - 1 })).toBeUndefined();
    expect(pauseAfter(20, 0.5, { triedSince: NOW - 70 * HOUR })).toBeUndefined();
  });

  it('comes some twenty times in three days', () => {
    let at = 0;
    let tries = 0;
    for (let next: number | undefined = 0; next !== undefined; tries++) {
      at = next;
      next = nextTryAt(POLICY, { at, failedTries: tries + 1, triedSince: 0 }, 0.5);
    }
    expect(tries).toBeGreaterThan(18);
    expect(tries).toBeLessThan(30);
    expect(at).toBeGreaterThan(64 * HOUR);
  });
});
