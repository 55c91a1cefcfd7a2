import type { StoredTenant, TenantStore } from '../../core/ports/tenant-store.ts';
import { answer } from './answer.ts';
import { compareText } from './compare-text.ts';
import { frozenCopy } from './frozen-copy.ts';

export function memoryTenantStore(): TenantStore {
  const tenants = new Map<string, StoredTenant>();
  return {
    find: (tenantId) => answer(() => tenants.get(tenantId)),
    update: (tenantId, changes, now) =>
      answer(() => {
        const merged = { ...tenants.get(tenantId), ...changes, tenantId, updatedAt: now };
        const kept = Object.entries(merged).filter(([, value]) => value !== null);
        const tenant = frozenCopy(Object.fromEntries(kept) as unknown as StoredTenant);
        tenants.set(tenantId, tenant);
        return tenant;
      }),
    list: () =>
      answer(() => [...tenants.values()].sort((a, b) => compareText(a.tenantId, b.tenantId))),
  };
}
