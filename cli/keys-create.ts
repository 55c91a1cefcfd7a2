import { parseArgs } from 'node:util';
import { SCOPES } from '../src/protocol/routes.ts';
import { hashOf, newKey, prefixOf } from './api-key.ts';
import { openKeyStore } from './key-store.ts';
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
      table: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  const tenantId = tenantOf(values.tenant);
  const scopes = scopesOf(values.scopes);
  const store = openKeyStore(values.table, terminal);

  const key = newKey();
  const prefix = prefixOf(key);
  await store.put({ hash: hashOf(key), tenantId, scopes, prefix, createdAt: Date.now() });

  terminal.out(values.json ? JSON.stringify({ key, tenantId, scopes, prefix }) : key);
  terminal.note(
    `key ${prefix}… of tenant ${tenantId} (${scopes.join(', ')}): it is not shown again`,
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
