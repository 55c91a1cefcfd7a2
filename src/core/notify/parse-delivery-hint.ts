import { isJobId } from '../job/job-id.ts';
import type { DeliveryName } from './delivery.ts';

/** The delivery a queue message points to; undefined when the message cannot be read. */
export function parseDeliveryHint(body: string): DeliveryName | undefined {
  let hint: unknown;
  try {
    hint = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof hint !== 'object' || hint === null) return undefined;
  const { v, jobId, deliveryId } = hint as Readonly<Record<string, unknown>>;
  const isHint =
    v === 1 && typeof jobId === 'string' && isJobId(jobId) && typeof deliveryId === 'string';
  return isHint ? { jobId, deliveryId } : undefined;
}
