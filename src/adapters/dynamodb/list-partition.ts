import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { INDEXES, TABLE_KEYS } from '../../settings/names.ts';
import type { Item, Table } from './table.ts';

/** Partition keys of the items that share a partition of the index `by-tenant`, oldest first, to the end. */
export async function listPartition(table: Table, partition: string): Promise<string[]> {
  const { name, partition: attribute } = INDEXES.byTenant;
  const found: string[] = [];
  let startKey: Item | undefined;
  do {
    const answer = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        IndexName: name,
        KeyConditionExpression: '#partition = :partition',
        ExpressionAttributeNames: { '#partition': attribute },
        ExpressionAttributeValues: { ':partition': partition },
        ExclusiveStartKey: startKey,
      }),
    );
    found.push(...(answer.Items ?? []).map((item) => item[TABLE_KEYS.partition] as string));
    startKey = answer.LastEvaluatedKey;
  } while (startKey !== undefined);
  return found;
}
