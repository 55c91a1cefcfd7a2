import type { TenantEndpoint } from '../engine/engine-deps.ts';
import type { TenantStore } from '../ports/tenant-store.ts';

/** Where a tenant wants to be told of all of its jobs, as its settings say. */
export function tenantEndpoints(
  tenants: Pick<TenantStore, 'find'>,
): (tenantId: string) => Promise<readonly TenantEndpoint[]> {
  return async (tenantId) => (await tenants.find(tenantId))?.webhookEndpoints ?? [];
}
