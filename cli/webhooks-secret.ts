import { parseArgs } from 'node:util';
import { dynamoWebhookSecretStore } from '../src/adapters/dynamodb/webhook-secret-store.ts';
import { newWebhookSecret } from '../src/adapters/webhook/new-secret.ts';
import { signingSecrets } from '../src/adapters/webhook/webhook-secrets.ts';
import { isoOf } from './iso-of.ts';
import { openTable, TABLE_OPTIONS } from './open-table.ts';
import { tenantOf } from './tenant-of.ts';
import type { Terminal } from './terminal.ts';

/** `webhooks secret`: what receivers verify the webhooks of a tenant with; makes the first one. */
export async function showWebhookSecret(
  args: readonly string[],
  terminal: Terminal,
): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      tenant: { type: 'string' },
      ...TABLE_OPTIONS,
    },
  });
  const tenantId = tenantOf('--tenant', values.tenant);
  const secrets = dynamoWebhookSecretStore(openTable(values.table, terminal));
  const deps = { secrets, newSecret: newWebhookSecret, now: () => Date.now() };

  const [newest, ...older] = await signingSecrets(deps, tenantId);

  if (newest === undefined) throw new Error(`${tenantId} has no secret that signs`);
  const { secret, createdAt } = newest;
  const all = { tenantId, secret, createdAt: isoOf(createdAt) };
  terminal.out(values.json ? JSON.stringify(all) : secret);
  for (const { signsUntil } of older) {
    if (signsUntil !== undefined)
      terminal.note(`an older secret signs beside it until ${isoOf(signsUntil)}`);
  }
}
