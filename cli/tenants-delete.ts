import { parseArgs } from 'node:util';
import { eraseTenant, unfinishedJobs } from '../src/adapters/dynamodb/erase-tenant.ts';
import { s3Client } from '../src/adapters/s3/client.ts';
import { dynamoScheduleStore } from '../src/adapters/dynamodb/schedule-store.ts';
import { erasePayloads } from '../src/adapters/s3/erase-payloads.ts';
import type { Table } from '../src/adapters/dynamodb/table.ts';
import { removeTrigger, schedulerClient } from '../src/adapters/scheduler/schedule-trigger.ts';
import { openTable, TABLE_OPTIONS } from './open-table.ts';
import { tenantOf } from './tenant-of.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

const NAMED_JOBS = 20;

/** `tenants delete`: everything that is stored of a tenant. Refused while a job of it has not ended. */
export async function deleteTenant(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      confirm: { type: 'string' },
      bucket: { type: 'string' },
      'schedule-group': { type: 'string' },
      ...TABLE_OPTIONS,
    },
  });
  const tenantId = tenantOf('<tenant>', positionals[0]);
  const bucket = bucketOf(values.bucket, terminal);
  if (values.confirm !== tenantId) {
    throw new UsageError(`this cannot be undone: repeat the tenant by --confirm ${tenantId}`);
  }
  const table = openTable(values.table, terminal);
  const unfinished = await unfinishedJobs(table, tenantId);
  if (unfinished.length > 0) {
    const named = unfinished.slice(0, NAMED_JOBS).join(', ');
    throw new Error(
      `${unfinished.length} jobs of ${tenantId} have not ended: revoke its keys, cancel them, and try again: ${named}`,
    );
  }
  await removeTriggers(table, tenantId, values['schedule-group']);
  const erased = await eraseTenant(table, tenantId);
  const objects = await erasePayloads({ client: s3Client(), bucket }, tenantId);
  terminal.out(
    values.json
      ? JSON.stringify({ tenantId, ...erased, objects })
      : `deleted ${erased.jobs} jobs (${erased.items} items), ${objects} objects and ${erased.keys} keys of ${tenantId}`,
  );
  terminal.note(
    'a key may be accepted for 60 seconds more: run this again after a minute; backups keep what they have for 35 days',
  );
}

/** While the table still tells which there are. */
async function removeTriggers(
  table: Table,
  tenantId: string,
  group: string | undefined,
): Promise<void> {
  const listed = await dynamoScheduleStore(table).list(tenantId);
  if (listed.length === 0) return;
  if (group === undefined) {
    throw new UsageError(
      `${tenantId} has ${listed.length} schedules: give the stack's output ScheduleGroupName as --schedule-group`,
    );
  }
  const client = schedulerClient();
  for (const { schedule } of listed) await removeTrigger({ client, group }, schedule);
  client.destroy();
}

function bucketOf(bucket: string | undefined, { env }: Terminal): string {
  const name = bucket ?? env.LONGHAUL_BUCKET ?? '';
  if (name !== '') return name;
  throw new UsageError(
    "--bucket is missing: give the stack's output PayloadBucketName, or set LONGHAUL_BUCKET",
  );
}
