import { parseArgs } from 'node:util';
import { dynamoTenantStore } from '../src/adapters/dynamodb/tenant-store.ts';
import { tenantJson, tenantLine } from './describe-tenant.ts';
import { openTable, TABLE_OPTIONS } from './open-table.ts';
import type { Terminal } from './terminal.ts';

/** `tenants list`: tenants with settings; the others have none and need none. */
export async function listTenants(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: TABLE_OPTIONS,
  });
  const tenants = await dynamoTenantStore(openTable(values.table, terminal)).list();
  if (values.json) terminal.out(JSON.stringify(tenants.map(tenantJson)));
  else for (const tenant of tenants) terminal.out(tenantLine(tenant));
}
