import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { DeadLetterPosition } from '../../core/job/dead-letter-entry.ts';
import type { JobStore } from '../../core/ports/job-store.ts';
import { INDEXES, TABLE_KEYS } from '../../settings/names.ts';
import { attempt } from './attempt.ts';
import { deadLetterKey, deadLetterPartition, jobIdOf } from './keys.ts';
import { type Item, type Table, putItem } from './table.ts';

type DeadLetterEntries = Pick<JobStore, 'putDeadLetter' | 'removeDeadLetter' | 'listDeadLetters'>;

const { name: INDEX, partition: PARTITION, sort: SORT } = INDEXES.byTenant;

/**
 * Entries lie beside their job, and in a partition of their own of the index by tenant. One that was removed stays as an item
 * outside of the index, so that a late put of the same generation cannot bring it back.
 */
export function deadLetterEntries(table: Table): DeadLetterEntries {
  return {
    putDeadLetter: async ({ jobId, tenantId, failedAt, ...attributes }) => {
      const item = {
        ...deadLetterKey(jobId),
        [PARTITION]: deadLetterPartition(tenantId),
        [SORT]: failedAt,
        ...attributes,
      };
      await attempt(putItem(table, item, ifNewer(attributes.generation)));
    },
    removeDeadLetter: (jobId, before) => remove(table, jobId, before),
    listDeadLetters: (query) => list(table, query),
  };
}

function ifNewer(generation: number) {
  return {
    ConditionExpression: 'attribute_not_exists(#pk) OR #generation < :generation',
    ExpressionAttributeNames: { '#pk': TABLE_KEYS.partition, '#generation': 'generation' },
    ExpressionAttributeValues: { ':generation': generation },
  };
}

async function remove(table: Table, jobId: string, before: number): Promise<void> {
  await attempt(
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: deadLetterKey(jobId),
        UpdateExpression: 'REMOVE #shard',
        ConditionExpression: '#generation < :before AND attribute_exists(#shard)',
        ExpressionAttributeNames: { '#shard': PARTITION, '#generation': 'generation' },
        ExpressionAttributeValues: { ':before': before },
      }),
    ),
  );
}

async function list(
  table: Table,
  { tenantId, limit, after }: Parameters<JobStore['listDeadLetters']>[0],
): ReturnType<JobStore['listDeadLetters']> {
  const shard = deadLetterPartition(tenantId);
  const { Items: items = [], LastEvaluatedKey } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      IndexName: INDEX,
      KeyConditionExpression: '#shard = :shard',
      ExpressionAttributeNames: { '#shard': PARTITION },
      ExpressionAttributeValues: { ':shard': shard },
      ScanIndexForward: false,
      Limit: limit,
      ...(after !== undefined && {
        ExclusiveStartKey: {
          ...deadLetterKey(after.jobId),
          [PARTITION]: shard,
          [SORT]: after.failedAt,
        },
      }),
    }),
  );
  return { entries: items.map(toPosition), hasMore: LastEvaluatedKey !== undefined };
}

function toPosition(item: Item): DeadLetterPosition {
  return { jobId: jobIdOf(item.pk as string), failedAt: item[SORT] as number };
}
