import { describe, expect, it } from '@jest/globals';
import { dynamoRequestCounter } from '../../src/adapters/dynamodb/request-counter.ts';
import { memoryRequestCounter } from '../../src/adapters/memory/request-counter.ts';
import type { RequestCounter } from '../../src/core/ports/request-counter.ts';
import { NOON } from '../support/builders.ts';
import { describeTableStores } from './describe-table-stores.ts';

describeTableStores(describeRequestCounter, {
  memory: memoryRequestCounter,
  table: dynamoRequestCounter,
});

/** What every counter of requests does. */
function describeRequestCounter(name: string, make: () => Promise<RequestCounter>): void {
  describe(`request counter: ${name}`, () => {
    const first = { startsAt: NOON, endsAt: NOON + 10_000 };
    const second = { startsAt: NOON + 10_000, endsAt: NOON + 20_000 };

    it('says how many there are, by tenant and window', async () => {
      const counter = await make();
      expect(await counter.add('acme', first, 10)).toBe(10);
      expect(await counter.add('acme', first, 2)).toBe(12);
      expect(await counter.add('beta', first, 1)).toBe(1);
      expect(await counter.add('acme', second, 3)).toBe(3);
    });

    it('loses none of those that are added at the same time', async () => {
      const counter = await make();
      const totals = await Promise.all(
        Array.from({ length: 10 }, () => counter.add('acme', first, 1)),
      );
      expect(totals.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    });
  });
}
