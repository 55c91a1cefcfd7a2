import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { dynamoTenantStore } from '../src/adapters/dynamodb/tenant-store.ts';
import { checkUrl } from '../src/adapters/webhook/check-url.ts';
import type { WebhookEndpoint } from '../src/core/ports/tenant-store.ts';
import { LIMITS } from '../src/protocol/limits.ts';
import { notifyEventSchema } from '../src/protocol/notify.ts';
import { endpointLine } from './endpoint-line.ts';
import { openTable, TABLE_OPTIONS } from './open-table.ts';
import { tenantOf } from './tenant-of.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** Each end of a job is a delivery for each of them. */
const MOST_ENDPOINTS = 5;

/** `webhooks add`: an endpoint that is told of all jobs of a tenant. */
export async function addEndpoint(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      tenant: { type: 'string' },
      url: { type: 'string' },
      events: { type: 'string' },
      'allow-loopback': { type: 'boolean', default: false },
      ...TABLE_OPTIONS,
    },
  });
  const tenantId = tenantOf('--tenant', values.tenant);
  const url = urlOf(values.url, values['allow-loopback']);
  const events = values.events === undefined ? undefined : eventsOf(values.events);
  const store = dynamoTenantStore(openTable(values.table, terminal));
  const others = (await store.find(tenantId))?.webhookEndpoints ?? [];
  if (others.length >= MOST_ENDPOINTS) {
    throw new Error(`${tenantId} has ${others.length} endpoints, which is the limit: remove one`);
  }
  const endpoint: WebhookEndpoint = {
    id: `ep_${randomBytes(6).toString('hex')}`,
    url,
    ...(events === undefined ? {} : { events }),
  };

  await store.update(tenantId, { webhookEndpoints: [...others, endpoint] }, Date.now());

  terminal.out(values.json ? JSON.stringify({ tenantId, ...endpoint }) : endpointLine(endpoint));
  terminal.note(
    `it is told of jobs that are submitted from now on, within two minutes; \`webhooks secret --tenant ${tenantId}\` shows what verifies them`,
  );
}

function urlOf(text: string | undefined, allowLoopback: boolean): string {
  if (text === undefined) throw new UsageError('--url is missing: give a public https address');
  if (text.length > LIMITS.notifyUrlCharacters) {
    throw new UsageError(
      `--url has ${text.length} characters, the limit is ${LIMITS.notifyUrlCharacters}`,
    );
  }
  const check = checkUrl(text, { allowLoopback });
  if (!check.allowed) throw new UsageError(`--url ${check.reason}`);
  return text;
}

function eventsOf(text: string): NonNullable<WebhookEndpoint['events']> {
  const allowed = notifyEventSchema.options;
  const events = new Set(text.split(',').map((event) => event.trim()));
  return [...events].map((event) => {
    const parsed = notifyEventSchema.safeParse(event);
    if (parsed.success) return parsed.data;
    throw new UsageError(
      `--events names ${JSON.stringify(event)}: allowed are ${allowed.join(', ')}, separated by commas`,
    );
  });
}
