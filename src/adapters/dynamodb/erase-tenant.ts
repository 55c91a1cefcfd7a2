import { BatchWriteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { isFinal } from '../../core/job/job.ts';
import type { ListPosition } from '../../core/job/list-position.ts';
import { AppError } from '../../errors.ts';
import { SHARDS, TABLE_KEYS } from '../../settings/names.ts';
import { dynamoApiKeyStore } from './api-key-store.ts';
import { jobList } from './job-list.ts';
import { apiKeyKey, type Key, tenantPartition, tenantSettingsKey } from './keys.ts';
import { listPartition } from './list-partition.ts';
import type { Item, Table } from './table.ts';

export interface Erased {
  readonly keys: number;
  readonly jobs: number;
  readonly items: number;
}

/** The most that one request reads. */
const JOBS_PER_LOOK = 100;
/** The most that one request deletes. */
const BATCH = 25;
/** DynamoDB leaves deletes of a batch out when it is busy. */
const TRIES = 8;

/** Ids of the tenant's jobs that have not ended. */
export async function unfinishedJobs(table: Table, tenantId: string): Promise<string[]> {
  const unfinished: string[] = [];
  const { listJobs } = jobList(table);
  const query = { tenantId, from: 0, to: Number.MAX_SAFE_INTEGER, limit: JOBS_PER_LOOK };
  for (let after: ListPosition | undefined; ;) {
    const { entries, hasMore } = await listJobs({
      ...query,
      ...(after !== undefined && { after }),
    });
    const jobs = entries.flatMap(({ job }) => job ?? []);
    unfinished.push(...jobs.filter(({ status }) => !isFinal(status)).map(({ jobId }) => jobId));
    after = entries.at(-1)?.position;
    if (!hasMore || after === undefined) return unfinished;
  }
}

/**
 * Deletes what the table holds of a tenant: its keys first, so that it can submit nothing more, then its jobs with all that
 * is in their partitions, then its settings and usage. Done again it goes on where it stopped.
 */
export async function eraseTenant(table: Table, tenantId: string): Promise<Erased> {
  const keys = await eraseKeys(table, tenantId);
  const partitions = await jobPartitions(table, tenantId);
  let items = 0;
  for (const pk of partitions) items += await erasePartition(table, pk);
  items += await erasePartition(table, tenantSettingsKey(tenantId).pk);
  return { keys, jobs: partitions.length, items };
}

async function jobPartitions(table: Table, tenantId: string): Promise<string[]> {
  const shards = Array.from({ length: SHARDS.byTenant }, (_, shard) => shard);
  const found = await Promise.all(
    shards.map((shard) => listPartition(table, tenantPartition(tenantId, shard))),
  );
  return found.flat();
}

async function eraseKeys(table: Table, tenantId: string): Promise<number> {
  const all = await dynamoApiKeyStore(table).list();
  const own = all.filter((key) => key.tenantId === tenantId);
  await deleteAll(
    table,
    own.map(({ hash }) => apiKeyKey(hash)),
  );
  return own.length;
}

/** The job item goes last: it is what the list finds the partition by, should this stop half-way. */
async function erasePartition(table: Table, pk: string): Promise<number> {
  const keys = await keysOf(table, pk);
  const last = keys.filter(({ sk }) => sk === 'JOB');
  await deleteAll(
    table,
    keys.filter(({ sk }) => sk !== 'JOB'),
  );
  await deleteAll(table, last);
  return keys.length;
}

async function keysOf(table: Table, pk: string): Promise<Key[]> {
  const keys: Key[] = [];
  let startKey: Item | undefined;
  do {
    const answer = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: '#pk = :pk',
        ProjectionExpression: '#pk, #sk',
        ExpressionAttributeNames: { '#pk': TABLE_KEYS.partition, '#sk': TABLE_KEYS.sort },
        ExpressionAttributeValues: { ':pk': pk },
        ConsistentRead: true,
        ExclusiveStartKey: startKey,
      }),
    );
    keys.push(...((answer.Items ?? []) as unknown as Key[]));
    startKey = answer.LastEvaluatedKey;
  } while (startKey !== undefined);
  return keys;
}

async function deleteAll(table: Table, keys: readonly Key[]): Promise<void> {
  for (let from = 0; from < keys.length; from += BATCH) {
    let left = keys
      .slice(from, from + BATCH)
      .map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
    for (let tries = 0; left.length > 0; tries++) {
      if (tries === TRIES) {
        throw new AppError('the table is too busy to delete: try again', {
          code: 'unavailable',
          retryable: true,
        });
      }
      const { UnprocessedItems } = await table.client.send(
        new BatchWriteCommand({ RequestItems: { [table.name]: left } }),
      );
      left = (UnprocessedItems?.[table.name] ?? []) as typeof left;
    }
  }
}
