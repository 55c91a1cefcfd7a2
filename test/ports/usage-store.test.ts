import { describe, expect, it } from '@jest/globals';
import { dynamoUsageStore } from '../../src/adapters/dynamodb/usage-store.ts';
import { memoryUsageStore } from '../../src/adapters/memory/usage-store.ts';
import { NO_USAGE, type UsageStore } from '../../src/core/ports/usage-store.ts';
import { describeTableStores } from './describe-table-stores.ts';

describeTableStores(describeUsageStore, { memory: memoryUsageStore, table: dynamoUsageStore });

/** What every store of usage does. */
function describeUsageStore(name: string, make: () => Promise<UsageStore>): void {
  describe(`usage store: ${name}`, () => {
    it('has nothing at first', async () => {
      expect(await (await make()).read('acme', '2026-11')).toEqual(NO_USAGE);
    });

    it('adds up, by tenant and month', async () => {
      const usage = await make();
      const one = { jobs: { succeeded: 2, failed: 1, cancelled: 0 }, steps: 10 };
      const other = { jobs: { succeeded: 0, failed: 0, cancelled: 3 }, steps: 0 };

      await Promise.all([
        usage.add('acme', '2026-11', one),
        usage.add('acme', '2026-11', other),
        usage.add('acme', '2026-12', other),
        usage.add('acm', '2026-11', other),
        usage.add('acme', '2026-11', one),
        usage.add('acme', '2026-11', NO_USAGE),
      ]);

      expect(await usage.read('acme', '2026-11')).toEqual({
        jobs: { succeeded: 4, failed: 2, cancelled: 3 },
        steps: 20,
      });
      expect(await usage.read('acme', '2026-12')).toEqual(other);
    });
  });
}
