import type { Delivery, DeliveryName } from '../../core/notify/delivery.ts';
import { checkItemSize } from '../../core/job/item-limit.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { ExpiringMap } from './expiring-map.ts';
import { frozenCopy } from './frozen-copy.ts';

/** Deliveries of notifications by job and id. */
export class Deliveries {
  readonly #deliveries: ExpiringMap<Delivery>;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#deliveries = new ExpiringMap(clock);
  }

  put(delivery: Delivery): 'stored' | 'duplicate' {
    checkItemSize('delivery', Buffer.byteLength(JSON.stringify(delivery)), delivery.jobId);
    if (this.get(delivery) !== undefined) return 'duplicate';
    this.#deliveries.set(nameOf(delivery), frozenCopy(delivery));
    return 'stored';
  }

  get(name: DeliveryName): Delivery | undefined {
    return this.#deliveries.get(nameOf(name));
  }

  list(jobId: string): Delivery[] {
    return this.all()
      .filter((delivery) => delivery.jobId === jobId)
      .sort((a, b) => (a.deliveryId < b.deliveryId ? -1 : 1));
  }

  replace(next: Delivery, seen: Pick<Delivery, 'status' | 'nextTryAt'>): boolean {
    const stored = this.get(next);
    if (stored?.status !== seen.status || stored.nextTryAt !== seen.nextTryAt) return false;
    checkItemSize('delivery', Buffer.byteLength(JSON.stringify(next)), next.jobId);
    this.#deliveries.set(nameOf(next), frozenCopy(next));
    return true;
  }

  rearm(delivery: Delivery, dueAt: number): boolean {
    const stored = this.get(delivery);
    if (stored?.dueAt === undefined || stored.dueAt !== delivery.dueAt) return false;
    this.#deliveries.set(nameOf(delivery), frozenCopy({ ...stored, dueAt }));
    return true;
  }

  all(): Delivery[] {
    return this.#deliveries.values();
  }
}

function nameOf({ jobId, deliveryId }: DeliveryName): string {
  return `${jobId}#${deliveryId}`;
}
