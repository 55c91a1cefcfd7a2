import type { Delivery, DeliveryName } from '../notify/delivery.ts';

/** Deliveries of notifications, each in the partition of its job; pending ones are in the due index. */
export interface DeliveryStore {
  /** Puts a delivery if it is absent. */
  putDelivery(delivery: Delivery): Promise<'stored' | 'duplicate'>;
  /** Strongly consistent. */
  getDelivery(name: DeliveryName): Promise<Delivery | undefined>;
  /** All of a job; strongly consistent. */
  listDeliveries(jobId: string): Promise<Delivery[]>;
  /** Replaces a delivery if its `status` and `nextTryAt` are as they were `seen`. */
  replaceDelivery(next: Delivery, seen: Pick<Delivery, 'status' | 'nextTryAt'>): Promise<boolean>;
  /** Moves `dueAt` of a delivery when it still is as seen: keeps two sweepers apart. */
  rearmDelivery(delivery: Delivery, dueAt: number): Promise<boolean>;
}
