import { describe, expect, it } from '@jest/globals';
import type { ApiKey, ApiKeyStore } from '../../src/core/ports/api-key-store.ts';
import { NOON } from '../support/builders.ts';

const aKey = (parts: Partial<ApiKey> = {}): ApiKey => ({
  hash: 'ab'.repeat(32),
  tenantId: 'acme',
  scopes: ['jobs:read', 'jobs:write'],
  prefix: 'lh_abcdefgh',
  createdAt: NOON,
  ...parts,
});

/** What every store of API keys does. */
export function describeApiKeyStore(name: string, make: () => Promise<ApiKeyStore>): void {
  describe(`API key store: ${name}`, () => {
    it('finds a key by its hash, and no other', async () => {
      const keys = await make();
      await keys.put(aKey());
      expect(await keys.find(aKey().hash)).toEqual(aKey());
      expect(await keys.find('cd'.repeat(32))).toBeUndefined();
    });

    it('revokes a key once and for all', async () => {
      const keys = await make();
      await keys.put(aKey());

      expect(await keys.revoke(aKey().hash, NOON + 1)).toBe(true);
      expect(await keys.revoke(aKey().hash, NOON + 2)).toBe(true);

      expect(await keys.find(aKey().hash)).toEqual(aKey({ revokedAt: NOON + 1 }));
    });

    it('refuses to revoke a key that is not there, and creates none', async () => {
      const keys = await make();
      expect(await keys.revoke(aKey().hash, NOON)).toBe(false);
      expect(await keys.find(aKey().hash)).toBeUndefined();
    });

    it('lists keys of all tenants, oldest first, revoked ones too', async () => {
      const keys = await make();
      expect(await keys.list()).toEqual([]);
      const stored = [3, 1, 2].map((number) =>
        aKey({ hash: `${number}`.repeat(64), tenantId: `t${number}`, createdAt: NOON + number }),
      );
      for (const key of stored) await keys.put(key);
      await keys.revoke('2'.repeat(64), NOON);

      const listed = await keys.list();

      expect(listed.map(({ tenantId }) => tenantId)).toEqual(['t1', 't2', 't3']);
      expect(listed[1]?.revokedAt).toBe(NOON);
    });
  });
}
