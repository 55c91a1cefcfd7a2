import { BatchGetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Job } from '../../core/job/job.ts';
import { positionBehind } from '../../core/job/list-position.ts';
import type { JobListing, JobListQuery, JobStore, ListedJob } from '../../core/ports/job-store.ts';
import { AppError } from '../../errors.ts';
import { INDEXES, SHARDS } from '../../settings/names.ts';
import { fromJobItem } from './job-codec.ts';
import { type Key, jobIdOf, jobKey, listShard, tenantPartition } from './keys.ts';
import { type Item, type Table, isAlive } from './table.ts';

/** The index `by-tenant`: one query for each of its shards, merged, and one read of the items they name. */
export function jobList(table: Table): Pick<JobStore, 'listJobs'> {
  return { listJobs: (query) => listJobs(table, query) };
}

interface IndexKey {
  readonly jobId: string;
  readonly createdAt: number;
}

/** What a query of one shard found, newest first. */
interface ShardPart {
  readonly keys: readonly IndexKey[];
  /** Whether the shard goes on behind them. */
  readonly hasMore: boolean;
}

async function listJobs(table: Table, query: JobListQuery): Promise<JobListing> {
  // DynamoDB takes no empty range.
  if (query.from > query.to) return { entries: [], hasMore: false };
  const shards = Array.from({ length: SHARDS.byTenant }, (_, shard) => shard);
  const parts = await Promise.all(shards.map((shard) => queryShard(table, query, shard)));
  const { keys, hasMore } = merged(parts, query.limit);
  const served = await readJobs(table, keys);
  const entries = entriesOf(keys, served, query);
  return { entries, hasMore: hasMore || entries.length < keys.length };
}

async function queryShard(
  table: Table,
  { tenantId, from, to, after, limit }: JobListQuery,
  shard: number,
): Promise<ShardPart> {
  const { name, partition, sort } = INDEXES.byTenant;
  const shardKey = tenantPartition(tenantId, shard);
  // Whatever another shard has left is not newer than the job seen last.
  const newest = after?.createdAt ?? to;
  const last = after?.jobIds.find((jobId) => listShard(jobId) === shard);
  const { Items: items = [], LastEvaluatedKey } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      IndexName: name,
      KeyConditionExpression: '#shard = :shard AND #createdAt BETWEEN :from AND :newest',
      ExpressionAttributeNames: { '#shard': partition, '#createdAt': sort },
      ExpressionAttributeValues: { ':shard': shardKey, ':from': from, ':newest': newest },
      ScanIndexForward: false,
      Limit: limit,
      ...(last !== undefined && {
        ExclusiveStartKey: { ...jobKey(last), [partition]: shardKey, [sort]: newest },
      }),
    }),
  );
  return { keys: items.map(toIndexKey), hasMore: LastEvaluatedKey !== undefined };
}

function toIndexKey(item: Item): IndexKey {
  return { jobId: jobIdOf(item.pk as string), createdAt: item.createdAt as number };
}

/** The newest keys of all shards; it ends where a shard has more than was read of it. */
function merged(parts: readonly ShardPart[], limit: number): ShardPart {
  const keys: IndexKey[] = [];
  const left = parts.map((part) => ({ ...part, keys: [...part.keys] }));
  while (keys.length < limit) {
    if (left.some((part) => part.keys.length === 0 && part.hasMore)) break;
    const [newest] = left.filter((part) => part.keys.length > 0).sort(byFirst);
    const key = newest?.keys.shift();
    if (key === undefined) break;
    keys.push(key);
  }
  return { keys, hasMore: left.some((part) => part.keys.length > 0 || part.hasMore) };
}

/** Sorting is stable: at the same instant the order is that of the shards. */
function byFirst(a: ShardPart, b: ShardPart): number {
  return (b.keys[0]?.createdAt ?? 0) - (a.keys[0]?.createdAt ?? 0);
}

/** Up to the first key that was not read. */
function entriesOf(
  keys: readonly IndexKey[],
  served: ReadonlyMap<string, Job | undefined>,
  { after }: JobListQuery,
): ListedJob[] {
  const entries: ListedJob[] = [];
  let position = after;
  for (const key of keys) {
    if (!served.has(key.jobId)) break;
    position = positionBehind(key, position, listShard);
    const job = served.get(key.jobId);
    // A job that expired and was submitted anew may still be named at its old place.
    entries.push({ job: job?.createdAt === key.createdAt ? job : undefined, position });
  }
  return entries;
}

/** DynamoDB leaves keys of a batch out when it is busy. */
const TRIES = 3;

/** Of the keys that were read, what there is. */
async function readJobs(
  table: Table,
  keys: readonly IndexKey[],
): Promise<Map<string, Job | undefined>> {
  const jobs = new Map<string, Job | undefined>(keys.map(({ jobId }) => [jobId, undefined]));
  let left: Key[] = keys.map(({ jobId }) => jobKey(jobId));
  for (let tries = 0; left.length > 0 && tries < TRIES; tries++) {
    const { Responses, UnprocessedKeys } = await table.client.send(
      new BatchGetCommand({ RequestItems: { [table.name]: { Keys: left } } }),
    );
    for (const item of Responses?.[table.name] ?? []) {
      if (isAlive(table, item)) jobs.set(jobIdOf(item.pk as string), fromJobItem(item));
    }
    left = (UnprocessedKeys?.[table.name]?.Keys ?? []) as Key[];
  }
  for (const { pk } of left) jobs.delete(jobIdOf(pk));
  if (jobs.size > 0 || keys.length === 0) return jobs;
  throw new AppError(`the table served none of ${keys.length} jobs: try again`, {
    code: 'unavailable',
    retryable: true,
  });
}
