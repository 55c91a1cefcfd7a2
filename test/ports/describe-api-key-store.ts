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

    it('gives a key an end, and an earlier one, but never a later one', async () => {
      const keys = await make();
      await keys.put(aKey());
      const endOf = async () => (await keys.find(aKey().hash))?.expiresAt;

      expect(await keys.expire(aKey().hash, NOON + 10)).toBe(true);
      expect(await endOf()).toBe(NOON + 10);
      expect(await keys.expire(aKey().hash, NOON + 5)).toBe(true);
      expect(await keys.expire(aKey().hash, NOON + 20)).toBe(true);
      expect(await endOf()).toBe(NOON + 5);
    });

    it('keeps the end that a key is made with', async () => {
      const keys = await make();
      await keys.put(aKey({ expiresAt: NOON + 1 }));
      expect(await keys.find(aKey().hash)).toEqual(aKey({ expiresAt: NOON + 1 }));
    });

    it('gives no end to a key that is not there, and creates none', async () => {
      const keys = await make();
      expect(await keys.expire(aKey().hash, NOON)).toBe(false);
      await keys.noteUse(aKey().hash, NOON);
      expect(await keys.find(aKey().hash)).toBeUndefined();
    });

    it('remembers the latest use of a key', async () => {
      const keys = await make();
      await keys.put(aKey());

      await keys.noteUse(aKey().hash, NOON + 2);
      await keys.noteUse(aKey().hash, NOON + 1);

      expect(await keys.find(aKey().hash)).toEqual(aKey({ lastUsedAt: NOON + 2 }));
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
