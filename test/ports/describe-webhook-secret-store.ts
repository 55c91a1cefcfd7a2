import { describe, expect, it } from '@jest/globals';
import type { WebhookSecretStore } from '../../src/core/ports/webhook-secret-store.ts';

/** What every store of webhook secrets does, whatever it is built on. */
export function describeWebhookSecretStore(
  name: string,
  make: () => Promise<WebhookSecretStore>,
): void {
  describe(`webhook secret store: ${name}`, () => {
    const first = [{ secret: 'whsec_a', createdAt: 1 }];
    const second = [
      { secret: 'whsec_b', createdAt: 2 },
      { secret: 'whsec_a', createdAt: 1, signsUntil: 3 },
    ];

    it('has none before the first, and keeps those of each tenant apart', async () => {
      const store = await make();
      expect(await store.list('acme')).toEqual([]);
      expect(await store.replace('acme', first, [])).toBe(true);
      expect(await store.list('acme')).toEqual(first);
      expect(await store.list('globex')).toEqual([]);
    });

    it('replaces only what was seen, so that of two at once one makes the secrets', async () => {
      const store = await make();
      expect(await store.replace('acme', second, first)).toBe(false);
      expect(await store.replace('acme', first, [])).toBe(true);
      expect(await store.replace('acme', second, [])).toBe(false);
      expect(await store.replace('acme', second, first)).toBe(true);
      expect(await store.replace('acme', first, first)).toBe(false);
      expect(await store.list('acme')).toEqual(second);
    });
  });
}
