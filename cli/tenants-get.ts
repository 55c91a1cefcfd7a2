import { parseArgs } from 'node:util';
import { dynamoTenantStore } from '../src/adapters/dynamodb/tenant-store.ts';
import { tenantJson, tenantLine } from './describe-tenant.ts';
import { openTable, TABLE_OPTIONS } from './open-table.ts';
import { tenantOf } from './tenant-of.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** `tenants get` */
export async function getTenant(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: TABLE_OPTIONS,
  });
  const tenantId = tenantOf('<tenant>', positionals[0]);
  if (positionals.length > 1) throw new UsageError('tenants get takes one tenant at a time');
  const tenant = (await dynamoTenantStore(openTable(values.table, terminal)).find(tenantId)) ?? {
    tenantId,
  };
  terminal.out(values.json ? JSON.stringify(tenantJson(tenant)) : tenantLine(tenant));
}
