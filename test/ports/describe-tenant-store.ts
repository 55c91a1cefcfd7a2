import { describe, expect, it } from '@jest/globals';
import type { TenantSettings, TenantStore } from '../../src/core/ports/tenant-store.ts';
import { NOON } from '../support/builders.ts';

const ALL: Required<TenantSettings> = {
  allowedAgents: ['greet', 'echo'],
  limits: { maxSteps: 100, maxDurationMs: 3_600_000 },
  webhookEndpoints: [{ id: 'main', url: 'https://acme.example/hook', events: ['failed'] }],
  requestsPerSecond: 50,
};

/** What every store of tenant settings does. */
export function describeTenantStore(name: string, make: () => Promise<TenantStore>): void {
  describe(`tenant store: ${name}`, () => {
    it('knows nothing of a tenant without settings', async () => {
      const tenants = await make();
      expect(await tenants.find('acme')).toBeUndefined();
      expect(await tenants.list()).toEqual([]);
    });

    it('gives back what was set, of this tenant and no other', async () => {
      const tenants = await make();

      const stored = await tenants.update('acme', ALL, NOON);

      expect(stored).toEqual({ tenantId: 'acme', ...ALL, updatedAt: NOON });
      expect(await tenants.find('acme')).toEqual(stored);
      expect(await tenants.find('acm')).toBeUndefined();
    });

    it('changes only the settings that are named, and takes away those that are null', async () => {
      const tenants = await make();
      await tenants.update('acme', ALL, NOON);

      await tenants.update('acme', { requestsPerSecond: 0, allowedAgents: null }, NOON + 1);

      const { allowedAgents: _, ...others } = ALL;
      expect(await tenants.find('acme')).toEqual({
        tenantId: 'acme',
        ...others,
        requestsPerSecond: 0,
        updatedAt: NOON + 1,
      });
    });

    it('takes an empty list for one that allows nothing', async () => {
      const tenants = await make();
      await tenants.update('acme', { allowedAgents: [] }, NOON);
      expect(await tenants.find('acme')).toMatchObject({ allowedAgents: [] });
    });

    it('lists tenants by their ids, one of them without settings again', async () => {
      const tenants = await make();
      for (const id of ['zeta', 'acme', 'beta'])
        await tenants.update(id, { requestsPerSecond: 1 }, NOON);
      await tenants.update('beta', { requestsPerSecond: null }, NOON + 1);

      expect(await tenants.list()).toEqual([
        { tenantId: 'acme', requestsPerSecond: 1, updatedAt: NOON },
        { tenantId: 'beta', updatedAt: NOON + 1 },
        { tenantId: 'zeta', requestsPerSecond: 1, updatedAt: NOON },
      ]);
    });
  });
}
