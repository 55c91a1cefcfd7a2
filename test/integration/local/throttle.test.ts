import { describe, expect, it } from '@jest/globals';
import { Throttle } from '../../../local/gateway/throttle.ts';

describe('the throttle of the stage', () => {
  it('lets a burst pass, then what the rate gives back', () => {
    const throttle = new Throttle({ ratePerSecond: 2, burst: 3 }, 0);
    const admitted = (now: number, requests: number) =>
      Array.from({ length: requests }, () => throttle.admits(now)).filter(Boolean).length;

    expect(admitted(0, 5)).toBe(3);
    expect(admitted(499, 1)).toBe(0);
    expect(admitted(1_000, 5)).toBe(2);
    expect(admitted(60_000, 5)).toBe(3);
  });

  it('lets everything pass when the template sets no limit', () => {
    const throttle = new Throttle({ ratePerSecond: Infinity, burst: Infinity }, 0);

    expect(Array.from({ length: 1_000 }, () => throttle.admits(0)).every(Boolean)).toBe(true);
  });
});
