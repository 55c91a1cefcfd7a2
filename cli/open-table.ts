import { documentClient } from '../src/adapters/dynamodb/document-client.ts';
import type { Table } from '../src/adapters/dynamodb/table.ts';
import { systemClock } from '../src/adapters/system/clock.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** What every command on the table takes. */
export const TABLE_OPTIONS = {
  table: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

/** The table that `--table` or LONGHAUL_TABLE names; it holds keys and tenants, too. */
export function openTable(table: string | undefined, { env }: Terminal): Table {
  const name = table ?? env.LONGHAUL_TABLE ?? '';
  if (name === '') {
    throw new UsageError(
      "--table is missing: give the stack's output JobTableName, or set LONGHAUL_TABLE",
    );
  }
  return { name, client: documentClient(), clock: systemClock };
}
