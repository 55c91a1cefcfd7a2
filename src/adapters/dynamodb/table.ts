import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  type PutCommandInput,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { Clock } from '../../core/ports/clock.ts';
import { TABLE_KEYS } from '../../settings/names.ts';
import type { Key } from './keys.ts';

/** The job table and what every access to it needs. */
export interface Table {
  readonly client: DynamoDBDocumentClient;
  readonly name: string;
  /** Decides what has expired. */
  readonly clock: Pick<Clock, 'now'>;
}

export type Item = Readonly<Record<string, unknown>>;

/** TTL removes an item up to two days late: until then it is there and nobody may see it. */
export function isAlive(table: Table, item: Item): boolean {
  const expiresAtSeconds = item[TABLE_KEYS.ttl];
  return typeof expiresAtSeconds !== 'number' || expiresAtSeconds > nowSeconds(table);
}

export function nowSeconds(table: Table): number {
  return Math.floor(table.clock.now() / 1000);
}

/** Strongly consistent read of one item. */
export async function getItem(table: Table, key: Key): Promise<Item | undefined> {
  const { Item: item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: key, ConsistentRead: true }),
  );
  return item !== undefined && isAlive(table, item) ? item : undefined;
}

export async function putItem(
  table: Table,
  item: Item,
  options: Omit<PutCommandInput, 'TableName' | 'Item'> = {},
): Promise<void> {
  await table.client.send(new PutCommand({ ...options, TableName: table.name, Item: item }));
}

/** Options of a put that succeeds only where there is no item, or an expired one. */
export function ifFree(table: Table) {
  return {
    ConditionExpression: 'attribute_not_exists(#pk) OR #ttl <= :now',
    ExpressionAttributeNames: { '#pk': TABLE_KEYS.partition, '#ttl': TABLE_KEYS.ttl },
    ExpressionAttributeValues: { ':now': nowSeconds(table) },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const;
}

/** Items of one partition with sort keys in a range, in key order, to the end. */
export function queryRange(
  table: Table,
  range: { readonly pk: string; readonly from: string; readonly to: string },
  options: Partial<QueryCommandInput> = {},
): Promise<Item[]> {
  return queryToEnd(table, { ...rangeQuery(table, range), ...options });
}

/** All items of one partition, in key order. */
export function queryPartition(
  table: Table,
  pk: string,
  options: Partial<QueryCommandInput> = {},
): Promise<Item[]> {
  return queryToEnd(table, {
    TableName: table.name,
    KeyConditionExpression: '#pk = :pk',
    ExpressionAttributeNames: { '#pk': TABLE_KEYS.partition },
    ExpressionAttributeValues: { ':pk': pk },
    ...options,
  });
}

async function queryToEnd(table: Table, query: QueryCommandInput): Promise<Item[]> {
  const items: Item[] = [];
  let startKey: Item | undefined;
  do {
    const answer = await table.client.send(
      new QueryCommand({ ...query, ExclusiveStartKey: startKey }),
    );
    items.push(...(answer.Items ?? []));
    startKey = answer.LastEvaluatedKey;
  } while (startKey !== undefined);
  return items.filter((item) => isAlive(table, item));
}

export function rangeQuery(
  table: Table,
  { pk, from, to }: { readonly pk: string; readonly from: string; readonly to: string },
): QueryCommandInput {
  return {
    TableName: table.name,
    KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :from AND :to',
    ExpressionAttributeNames: { '#pk': TABLE_KEYS.partition, '#sk': TABLE_KEYS.sort },
    ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
  };
}
