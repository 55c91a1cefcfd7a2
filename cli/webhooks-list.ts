import { parseArgs } from 'node:util';
import { dynamoTenantStore } from '../src/adapters/dynamodb/tenant-store.ts';
import { endpointLine } from './endpoint-line.ts';
import { openTable, TABLE_OPTIONS } from './open-table.ts';
import { tenantOf } from './tenant-of.ts';
import type { Terminal } from './terminal.ts';

/** `webhooks list`: where a tenant is told of all of its jobs. */
export async function listEndpoints(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      tenant: { type: 'string' },
      ...TABLE_OPTIONS,
    },
  });
  const tenantId = tenantOf('--tenant', values.tenant);
  const tenant = await dynamoTenantStore(openTable(values.table, terminal)).find(tenantId);
  const endpoints = tenant?.webhookEndpoints ?? [];
  if (values.json) terminal.out(JSON.stringify(endpoints));
  else for (const endpoint of endpoints) terminal.out(endpointLine(endpoint));
}
