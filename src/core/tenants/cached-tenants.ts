import type { Clock } from '../ports/clock.ts';
import type { StoredTenant, TenantStore } from '../ports/tenant-store.ts';

export interface CacheOptions {
  readonly ttlMs: number;
  readonly maxEntries: number;
}

/** As long as API Gateway keeps an authorizer's answer; some thousand tenants are a megabyte. */
const DEFAULTS: CacheOptions = { ttlMs: 60_000, maxEntries: 2_000 };

/**
 * Settings out of memory, that a tenant has none included: one read in `ttlMs` for each tenant and environment. Those who ask
 * at the same time share a read; a failed one is not remembered.
 */
export function cachedTenants(
  tenants: Pick<TenantStore, 'find'>,
  clock: Pick<Clock, 'now'>,
  { ttlMs, maxEntries }: CacheOptions = DEFAULTS,
): Pick<TenantStore, 'find'> {
  const entries = new Map<string, { found: Promise<StoredTenant | undefined>; until: number }>();
  return {
    find: (tenantId) => {
      const now = clock.now();
      const known = entries.get(tenantId);
      if (known !== undefined && now < known.until) return known.found;
      const entry = { found: tenants.find(tenantId), until: now + ttlMs };
      // Put in anew, so that the order of the map is that of age.
      entries.delete(tenantId);
      entries.set(tenantId, entry);
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
      entry.found.catch(() => {
        if (entries.get(tenantId) === entry) entries.delete(tenantId);
      });
      return entry.found;
    },
  };
}
