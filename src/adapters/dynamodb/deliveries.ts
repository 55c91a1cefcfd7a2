import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { checkItemSize } from '../../core/job/item-limit.ts';
import type { Delivery } from '../../core/notify/delivery.ts';
import type { DeliveryStore } from '../../core/ports/delivery-store.ts';
import { TABLE_KEYS } from '../../settings/names.ts';
import { attempt } from './attempt.ts';
import { itemSizeBytes } from './item-size.ts';
import {
  DELIVERY_KEYS,
  deliveryIdOf,
  deliveryKey,
  dueShard,
  jobIdOf,
  jobPartition,
} from './keys.ts';
import {
  type Item,
  type Table,
  getItem,
  ifFree,
  nowSeconds,
  putItem,
  queryRange,
} from './table.ts';

/** Deliveries of notifications, beside their job. */
export function deliveries(table: Table): DeliveryStore {
  return {
    putDelivery: (delivery) => putDelivery(table, delivery),
    getDelivery: async ({ jobId, deliveryId }) => {
      const item = await getItem(table, deliveryKey({ jobId, deliveryId }));
      return item && fromItem(item);
    },
    listDeliveries: async (jobId) => {
      const range = { pk: jobPartition(jobId), ...DELIVERY_KEYS };
      const items = await queryRange(table, range, { ConsistentRead: true });
      return items.map(fromItem);
    },
    replaceDelivery: (next, seen) => replaceDelivery(table, next, seen),
    rearmDelivery: (delivery, dueAt) => rearmDelivery(table, delivery, dueAt),
  };
}

async function putDelivery(table: Table, delivery: Delivery): Promise<'stored' | 'duplicate'> {
  const put = await attempt(putItem(table, checked(delivery), ifFree(table)));
  return put.applied ? 'stored' : 'duplicate';
}

async function replaceDelivery(
  table: Table,
  next: Delivery,
  seen: Parameters<DeliveryStore['replaceDelivery']>[1],
): Promise<boolean> {
  const { status, nextTryAt } = seen;
  const asSeen =
    nextTryAt === undefined ? 'attribute_not_exists(#nextTryAt)' : '#nextTryAt = :nextTryAt';
  const put = await attempt(
    putItem(table, checked(next), {
      ConditionExpression: `#ttl > :now AND #status = :status AND ${asSeen}`,
      ExpressionAttributeNames: {
        '#ttl': TABLE_KEYS.ttl,
        '#status': 'status',
        '#nextTryAt': 'nextTryAt',
      },
      ExpressionAttributeValues: {
        ':now': nowSeconds(table),
        ':status': status,
        ...(nextTryAt === undefined ? {} : { ':nextTryAt': nextTryAt }),
      },
    }),
  );
  return put.applied;
}

async function rearmDelivery(table: Table, delivery: Delivery, dueAt: number): Promise<boolean> {
  const result = await attempt(
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: deliveryKey(delivery),
        UpdateExpression: 'SET #dueAt = :dueAt',
        ConditionExpression: '#ttl > :now AND #dueAt = :seen',
        ExpressionAttributeNames: { '#dueAt': 'dueAt', '#ttl': TABLE_KEYS.ttl },
        ExpressionAttributeValues: {
          ':dueAt': dueAt,
          ':now': nowSeconds(table),
          ':seen': delivery.dueAt ?? 0,
        },
      }),
    ),
  );
  return result.applied;
}

function checked(delivery: Delivery): Item {
  const item = toItem(delivery);
  checkItemSize('delivery', itemSizeBytes(item), delivery.jobId);
  return item;
}

/** The job is kept as text, since it holds what callers and agents wrote. */
function toItem({ jobId, deliveryId, job, tries, ...attributes }: Delivery): Item {
  return {
    ...deliveryKey({ jobId, deliveryId }),
    dueShard: dueShard(deliveryId),
    ...attributes,
    job: JSON.stringify(job),
    tries: JSON.stringify(tries),
  };
}

function fromItem({ pk, sk, dueShard: _dueShard, job, tries, ...attributes }: Item): Delivery {
  return {
    jobId: jobIdOf(pk as string),
    deliveryId: deliveryIdOf(sk as string),
    ...(attributes as unknown as Omit<Delivery, 'jobId' | 'deliveryId' | 'job' | 'tries'>),
    job: JSON.parse(job as string) as Delivery['job'],
    tries: JSON.parse(tries as string) as Delivery['tries'],
  };
}
