import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { systemIdSource } from '../../src/adapters/system/id-source.ts';

const ID = /^[0-9a-hjkmnp-tv-z]{26}$/;
const DAY_MS = 86_400_000;

describe('system clock', () => {
  it('calls back after every microtask that is ready', async () => {
    const order: string[] = [];
    const turn = new Promise<void>((resolve) => {
      systemClock.afterTurn(() => {
        order.push('turn');
        resolve();
      });
    });
    for (let microtask = 0; microtask < 100; microtask += 1) await Promise.resolve();
    order.push('microtasks');
    await turn;
    expect(order).toEqual(['microtasks', 'turn']);
  });

  describe('timers', () => {
    beforeEach(() => {
      jest.useFakeTimers();
    });
    afterEach(() => {
      jest.useRealTimers();
    });

    it.each([
      { name: 'a second', delayMs: 1_000 },
      { name: 'nothing', delayMs: 0 },
      { name: 'longer than setTimeout can', delayMs: 60 * DAY_MS },
    ])('call back once after $name', ({ delayMs }) => {
      const callback = jest.fn();
      systemClock.setTimer(delayMs, callback);
      if (delayMs > 0) {
        jest.advanceTimersByTime(delayMs - 1);
        expect(callback).not.toHaveBeenCalled();
      }
      jest.advanceTimersByTime(1);
      expect(callback).toHaveBeenCalledTimes(1);
      jest.advanceTimersByTime(delayMs + 1);
      expect(callback).toHaveBeenCalledTimes(1);
    });

    it.each([1_000, 60 * DAY_MS])('of %p ms never call back once cancelled', (delayMs) => {
      const callback = jest.fn();
      const cancel = systemClock.setTimer(delayMs, callback);
      jest.advanceTimersByTime(delayMs - 1);
      cancel();
      jest.advanceTimersByTime(delayMs);
      expect(callback).not.toHaveBeenCalled();
      expect(jest.getTimerCount()).toBe(0);
    });
  });
});

describe('system ids', () => {
  it('are 26 characters and never the same', () => {
    const ids = Array.from({ length: 1_000 }, () => systemIdSource.newId());
    for (const id of ids) expect(id).toMatch(ID);
    expect(new Set(ids).size).toBe(1_000);
  });

  it('are derived from the same parts alike, on every machine and in every version', () => {
    expect(systemIdSource.deriveId('acme', 'key-1')).toBe('pmwbc3a9n3qyggwggg77tzqts2');
    expect(systemIdSource.deriveId()).toMatch(ID);
  });

  it.each([
    { one: ['ab', 'c'], other: ['a', 'bc'] },
    { one: ['a', ''], other: ['a'] },
    { one: ['', 'a'], other: ['a', ''] },
    { one: ['1:a', 'b'], other: ['a', '1:b'] },
    { one: ['é'], other: ['e\u0301'] },
  ])('of $one and $other differ', ({ one, other }) => {
    expect(systemIdSource.deriveId(...one)).not.toBe(systemIdSource.deriveId(...other));
  });

  it('come with SHA-256 and random numbers', () => {
    expect(systemIdSource.sha256('abc')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
    const numbers = Array.from({ length: 1_000 }, () => systemIdSource.random());
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThan(1);
    expect(Math.max(...numbers) - Math.min(...numbers)).toBeGreaterThan(0.9);
  });
});
