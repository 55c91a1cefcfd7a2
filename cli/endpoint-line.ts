import type { WebhookEndpoint } from '../src/core/ports/tenant-store.ts';

/** An endpoint on one line for people. */
export function endpointLine({ id, url, events }: WebhookEndpoint): string {
  return [id, url, events?.join(',') ?? 'all events'].join('  ');
}
