import type { WebhookSecret, WebhookSecretStore } from '../../core/ports/webhook-secret-store.ts';
import { answer } from './answer.ts';

export function memoryWebhookSecretStore(): WebhookSecretStore {
  const tenants = new Map<string, string>();
  return {
    list: (tenantId) =>
      answer(() => JSON.parse(tenants.get(tenantId) ?? '[]') as readonly WebhookSecret[]),
    replace: (tenantId, next, seen) =>
      answer(() => {
        if ((tenants.get(tenantId) ?? '[]') !== JSON.stringify(seen)) return false;
        tenants.set(tenantId, JSON.stringify(next));
        return true;
      }),
  };
}
