import { parseArgs } from 'node:util';
import { dynamoTenantStore } from '../src/adapters/dynamodb/tenant-store.ts';
import { endpointLine } from './endpoint-line.ts';
import { openTable, TABLE_OPTIONS } from './open-table.ts';
import { tenantOf } from './tenant-of.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** `webhooks remove`: an endpoint is told of nothing more; what is on its way to it is still tried. */
export async function removeEndpoint(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      tenant: { type: 'string' },
      ...TABLE_OPTIONS,
    },
  });
  const tenantId = tenantOf('--tenant', values.tenant);
  const [id, ...more] = positionals;
  if (id === undefined || more.length > 0) {
    throw new UsageError('webhooks remove takes one id, as `webhooks list` shows it');
  }
  const store = dynamoTenantStore(openTable(values.table, terminal));
  const endpoints = (await store.find(tenantId))?.webhookEndpoints ?? [];
  const removed = endpoints.find((endpoint) => endpoint.id === id);
  if (removed === undefined) throw new Error(`${tenantId} has no endpoint ${JSON.stringify(id)}`);

  const left = endpoints.filter((endpoint) => endpoint !== removed);
  const webhookEndpoints = left.length === 0 ? null : left;
  await store.update(tenantId, { webhookEndpoints }, Date.now());

  terminal.out(
    values.json ? JSON.stringify({ tenantId, ...removed }) : `removed ${endpointLine(removed)}`,
  );
}
