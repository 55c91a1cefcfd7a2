import { hintFields } from '../job/hint-fields.ts';
import type { DeliveryName } from './delivery.ts';

/** The delivery a queue message points to; undefined when the message cannot be read. */
export function parseDeliveryHint(body: string): DeliveryName | undefined {
  const hint = hintFields(body);
  const deliveryId = hint?.deliveryId;
  return hint !== undefined && typeof deliveryId === 'string'
    ? { jobId: hint.jobId, deliveryId }
    : undefined;
}
