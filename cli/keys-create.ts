import { parseArgs } from 'node:util';
import { dynamoApiKeyStore } from '../src/adapters/dynamodb/api-key-store.ts';
import { SCOPES } from '../src/protocol/routes.ts';
import { endOf } from './end-of.ts';
import { isoOf } from './iso-of.ts';
import { issueKey } from './issue-key.ts';
import { openTable, TABLE_OPTIONS } from './open-table.ts';
import { tenantOf } from './tenant-of.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** `keys create`: the key is shown here and nowhere else, the table holds its hash. */
export async function createKey(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      tenant: { type: 'string' },
      scopes: { type: 'string' },
      expires: { type: 'string' },
      ...TABLE_OPTIONS,
    },
  });
  const now = Date.now();
  const tenantId = tenantOf('--tenant', values.tenant);
  const scopes = scopesOf(values.scopes);
  const expiresAt = endOf('--expires', values.expires, now);
  const store = dynamoApiKeyStore(openTable(values.table, terminal));

  const { key, stored } = await issueKey(store, { tenantId, scopes, expiresAt }, now);

  const { prefix } = stored;
  const end = expiresAt === undefined ? {} : { expiresAt: isoOf(expiresAt) };
  terminal.out(values.json ? JSON.stringify({ key, tenantId, scopes, prefix, ...end }) : key);
  const until = expiresAt === undefined ? '' : `, until ${isoOf(expiresAt)}`;
  terminal.note(
    `key ${prefix}… of tenant ${tenantId} (${scopes.join(', ')})${until}: it is not shown again`,
  );
}

function scopesOf(text: string | undefined): string[] {
  const allowed: readonly string[] = SCOPES;
  const hint = `allowed are ${allowed.join(', ')}, separated by commas`;
  if (text === undefined) throw new UsageError(`--scopes is missing: ${hint}`);
  const scopes = text.split(',').map((scope) => scope.trim());
  const unknown = scopes.find((scope) => !allowed.includes(scope));
  if (unknown === undefined) return [...new Set(scopes)];
  throw new UsageError(`--scopes names ${JSON.stringify(unknown)}: ${hint}`);
}
