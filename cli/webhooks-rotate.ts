import { parseArgs } from 'node:util';
import { dynamoWebhookSecretStore } from '../src/adapters/dynamodb/webhook-secret-store.ts';
import { newWebhookSecret } from '../src/adapters/webhook/new-secret.ts';
import { rotateSecret } from '../src/adapters/webhook/webhook-secrets.ts';
import { millisecondsOf } from './end-of.ts';
import { isoOf } from './iso-of.ts';
import { openTable, TABLE_OPTIONS } from './open-table.ts';
import { tenantOf } from './tenant-of.ts';
import type { Terminal } from './terminal.ts';

/** `webhooks rotate`: a new secret; those before it sign beside it for the overlap. */
export async function rotateWebhookSecret(
  args: readonly string[],
  terminal: Terminal,
): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      tenant: { type: 'string' },
      overlap: { type: 'string', default: '24h' },
      ...TABLE_OPTIONS,
    },
  });
  const tenantId = tenantOf('--tenant', values.tenant);
  const overlapMs = millisecondsOf('--overlap', values.overlap);
  const store = dynamoWebhookSecretStore(openTable(values.table, terminal));
  const deps = { secrets: store, newSecret: newWebhookSecret, now: () => Date.now() };

  const [newest, ...older] = await rotateSecret(deps, tenantId, overlapMs);

  if (newest === undefined) return;
  const { secret, createdAt } = newest;
  const until = Math.max(0, ...older.map(({ signsUntil = 0 }) => signsUntil));
  const oldEnd = until === 0 ? {} : { olderSignUntil: isoOf(until) };
  const all = { tenantId, secret, createdAt: isoOf(createdAt), ...oldEnd };
  terminal.out(values.json ? JSON.stringify(all) : secret);
  if (until > 0) terminal.note(`older secrets sign beside it until ${isoOf(until)}`);
}
