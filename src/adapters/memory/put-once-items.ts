import { checkItemSize } from '../../core/job/item-limit.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { compareText } from './compare-text.ts';
import { ExpiringMap } from './expiring-map.ts';
import { frozenCopy } from './frozen-copy.ts';

interface Kind<Item> {
  /** What errors call an item. */
  readonly what: string;
  readonly jobId: (item: Item) => string;
  /** Tells the items of one job apart and orders them, part by part. */
  readonly name: (item: Item) => readonly string[];
}

/** Items beside a job, each put once. */
export class PutOnceItems<Item extends { readonly expiresAtSeconds: number }> {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #kind: Kind<Item>;
  readonly #jobs = new Map<string, ExpiringMap<Item>>();

  constructor(clock: Pick<Clock, 'now'>, kind: Kind<Item>) {
    this.#clock = clock;
    this.#kind = kind;
  }

  put(item: Item): 'stored' | 'duplicate' {
    const jobId = this.#kind.jobId(item);
    checkItemSize(this.#kind.what, Buffer.byteLength(JSON.stringify(item)), jobId);
    const items = this.#itemsOf(jobId);
    const key = JSON.stringify(this.#kind.name(item));
    if (items.get(key) !== undefined) return 'duplicate';
    items.set(key, frozenCopy(item));
    return 'stored';
  }

  list(jobId: string): Item[] {
    const items = this.#jobs.get(jobId)?.values() ?? [];
    return items.sort((a, b) => compareNames(this.#kind.name(a), this.#kind.name(b)));
  }

  #itemsOf(jobId: string): ExpiringMap<Item> {
    let items = this.#jobs.get(jobId);
    if (items === undefined) {
      items = new ExpiringMap(this.#clock);
      this.#jobs.set(jobId, items);
    }
    return items;
  }
}

/** Both have the same number of parts. */
function compareNames(left: readonly string[], right: readonly string[]): number {
  const orders = left.map((part, index) => compareText(part, right[index] ?? ''));
  return orders.find((order) => order !== 0) ?? 0;
}
