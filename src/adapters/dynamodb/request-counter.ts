import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { RequestCounter } from '../../core/ports/request-counter.ts';
import { TABLE_KEYS } from '../../settings/names.ts';
import { requestCountKey } from './keys.ts';
import type { Table } from './table.ts';

/** Clocks may differ, and TTL removes an item up to two days late anyway. */
const KEPT_SECONDS = 3_600;

/** One small item for each tenant and window. */
export function dynamoRequestCounter(table: Table): RequestCounter {
  return {
    add: async (tenantId, { startsAt, endsAt }, requests) => {
      const { Attributes: counted } = await table.client.send(
        new UpdateCommand({
          TableName: table.name,
          Key: requestCountKey(tenantId, startsAt),
          UpdateExpression: 'ADD #requests :requests SET #ttl = :ttl',
          ExpressionAttributeNames: { '#requests': 'requests', '#ttl': TABLE_KEYS.ttl },
          ExpressionAttributeValues: {
            ':requests': requests,
            ':ttl': Math.ceil(endsAt / 1_000) + KEPT_SECONDS,
          },
          ReturnValues: 'UPDATED_NEW',
        }),
      );
      return counted?.requests as number;
    },
  };
}
