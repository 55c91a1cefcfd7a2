import { parseArgs } from 'node:util';
import { dynamoApiKeyStore } from '../src/adapters/dynamodb/api-key-store.ts';
import { keyJson, keyLine } from './describe-key.ts';
import { openTable, TABLE_OPTIONS } from './open-table.ts';
import { tenantOf } from './tenant-of.ts';
import type { Terminal } from './terminal.ts';

/** `keys list`: oldest first, revoked and expired ones too. */
export async function listKeys(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      tenant: { type: 'string' },
      ...TABLE_OPTIONS,
    },
  });
  const tenantId = values.tenant === undefined ? undefined : tenantOf('--tenant', values.tenant);
  const stored = await dynamoApiKeyStore(openTable(values.table, terminal)).list();
  const keys = stored.filter((key) => tenantId === undefined || key.tenantId === tenantId);
  if (values.json) terminal.out(JSON.stringify(keys.map(keyJson)));
  else for (const key of keys) terminal.out(keyLine(key, Date.now()));
}
