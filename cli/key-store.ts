import { dynamoApiKeyStore } from '../src/adapters/dynamodb/api-key-store.ts';
import { documentClient } from '../src/adapters/dynamodb/document-client.ts';
import { systemClock } from '../src/adapters/system/clock.ts';
import type { ApiKeyStore } from '../src/core/ports/api-key-store.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** The keys of the table that `--table` or LONGHAUL_TABLE names. */
export function openKeyStore(table: string | undefined, { env }: Terminal): ApiKeyStore {
  const name = table ?? env.LONGHAUL_TABLE ?? '';
  if (name === '') {
    throw new UsageError(
      "--table is missing: give the stack's output JobTableName, or set LONGHAUL_TABLE",
    );
  }
  return dynamoApiKeyStore({ name, client: documentClient(), clock: systemClock });
}
