import type { Delivery } from '../../src/core/notify/delivery.ts';
import type { DeliveryRepresentation } from '../../src/protocol/delivery.ts';
import { instant } from './error-representation.ts';

/** A delivery as its job's owner sees it. */
export function deliveryRepresentation(delivery: Delivery): DeliveryRepresentation {
  const { deliveryId, event, url, status, tries, nextTryAt, createdAt } = delivery;
  return {
    deliveryId,
    event,
    url,
    status,
    tries: tries.map(({ at, ...facts }) => ({ at: instant(at), ...facts })),
    ...(nextTryAt !== undefined && { nextTryAt: instant(nextTryAt) }),
    createdAt: instant(createdAt),
  };
}
