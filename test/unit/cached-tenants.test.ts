import { beforeEach, describe, expect, it } from '@jest/globals';
import type { StoredTenant } from '../../src/core/ports/tenant-store.ts';
import { cachedTenants } from '../../src/core/tenants/cached-tenants.ts';

describe('cached tenants', () => {
  let now = 0;
  let reads: string[];
  let answer: (tenantId: string) => Promise<StoredTenant | undefined>;

  beforeEach(() => {
    now = 0;
    reads = [];
    answer = (tenantId) => Promise.resolve({ tenantId, updatedAt: now });
  });

  const cached = (maxEntries = 10) =>
    cachedTenants(
      {
        find: (tenantId) => {
          reads.push(tenantId);
          return answer(tenantId);
        },
      },
      { now: () => now },
      { ttlMs: 1_000, maxEntries },
    );

  it('reads a tenant again only after its time', async () => {
    const tenants = cached();
    await tenants.find('acme');
    now = 999;
    expect(await tenants.find('acme')).toEqual({ tenantId: 'acme', updatedAt: 0 });
    now = 1_000;
    expect(await tenants.find('acme')).toEqual({ tenantId: 'acme', updatedAt: 1_000 });
    expect(reads).toEqual(['acme', 'acme']);
  });

  it('remembers that a tenant has no settings', async () => {
    answer = () => Promise.resolve(undefined);
    const tenants = cached();
    expect([await tenants.find('acme'), await tenants.find('acme')]).toEqual([
      undefined,
      undefined,
    ]);
    expect(reads).toEqual(['acme']);
  });

  it('shares one read among all who ask meanwhile', async () => {
    const tenants = cached();
    await Promise.all([tenants.find('acme'), tenants.find('acme'), tenants.find('beta')]);
    expect(reads).toEqual(['acme', 'beta']);
  });

  it('does not remember a failed read', async () => {
    const tenants = cached();
    answer = () => Promise.reject(new Error('down'));
    await expect(tenants.find('acme')).rejects.toThrow('down');
    answer = () => Promise.resolve(undefined);
    expect(await tenants.find('acme')).toBeUndefined();
  });

  it('forgets the oldest above its size', async () => {
    const tenants = cached(2);
    for (const id of ['a', 'b', 'c', 'c', 'b', 'a']) await tenants.find(id);
    expect(reads).toEqual(['a', 'b', 'c', 'a']);
  });
});
