import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { DueItem, JobStore } from '../../core/ports/job-store.ts';
import { INDEXES, SHARDS } from '../../settings/names.ts';
import { deliveryIdOf, invocationIdOf, isDelivery, isJobPartition, jobIdOf } from './keys.ts';
import type { Item, Table } from './table.ts';

export function dueIndex(table: Table): Pick<JobStore, 'listDue'> {
  return {
    listDue: async (now, limit) => {
      const shards = Array.from({ length: SHARDS.due }, (_, shard) => String(shard));
      const found = await Promise.all(
        shards.map((shard) => queryShard(table, shard, { now, limit })),
      );
      return found.flat().sort(byDueAt).map(toDueItem);
    },
  };
}

async function queryShard(
  table: Table,
  shard: string,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<Item[]> {
  const { name, partition, sort } = INDEXES.due;
  const { Items: items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      IndexName: name,
      KeyConditionExpression: '#shard = :shard AND #dueAt <= :now',
      ExpressionAttributeNames: { '#shard': partition, '#dueAt': sort },
      ExpressionAttributeValues: { ':shard': shard, ':now': now },
      Limit: limit,
    }),
  );
  return items;
}

function byDueAt(a: Item, b: Item): number {
  return (a.dueAt as number) - (b.dueAt as number) || compareIds(a, b);
}

function compareIds(a: Item, b: Item): number {
  return (a.pk as string) < (b.pk as string) ? -1 : 1;
}

function toDueItem(item: Item): DueItem {
  const { pk, sk } = item as { readonly pk: string; readonly sk: string };
  if (!isJobPartition(pk)) return { kind: 'slice', invocationId: invocationIdOf(pk) };
  const jobId = jobIdOf(pk);
  return isDelivery(sk)
    ? { kind: 'delivery', jobId, deliveryId: deliveryIdOf(sk) }
    : { kind: 'job', jobId };
}
