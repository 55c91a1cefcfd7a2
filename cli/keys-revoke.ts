import { parseArgs } from 'node:util';
import { dynamoApiKeyStore } from '../src/adapters/dynamodb/api-key-store.ts';
import { checkKeyNames, findKeys } from './find-keys.ts';
import { openTable, TABLE_OPTIONS } from './open-table.ts';
import type { Terminal } from './terminal.ts';

/** `keys revoke`: finds every key before it revokes the first, so that a mistyped one changes nothing. */
export async function revokeKeys(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: TABLE_OPTIONS,
  });
  checkKeyNames(positionals);
  const store = dynamoApiKeyStore(openTable(values.table, terminal));
  const keys = await findKeys(store, positionals);

  for (const { hash, prefix, tenantId } of keys) {
    await store.revoke(hash, Date.now());
    terminal.out(
      values.json ? JSON.stringify({ prefix, tenantId }) : `revoked ${prefix} of ${tenantId}`,
    );
  }
  terminal.note(
    'the API may accept a revoked key for 60 seconds more, the time its authorizer caches',
  );
}
