import type { Clock } from '../../core/ports/clock.ts';

/** Items by key that are absent once their `expiresAtSeconds` has come, as they are for a reader of the table. */
export class ExpiringMap<Item extends { readonly expiresAtSeconds: number }> {
  readonly #items = new Map<string, Item>();
  readonly #clock: Pick<Clock, 'now'>;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  get(key: string): Item | undefined {
    const item = this.#items.get(key);
    return item !== undefined && this.#lives(item) ? item : undefined;
  }

  set(key: string, item: Item): void {
    this.#items.set(key, item);
  }

  delete(key: string): void {
    this.#items.delete(key);
  }

  /** In order of insertion of their keys. */
  values(): Item[] {
    return [...this.#items.values()].filter((item) => this.#lives(item));
  }

  #lives(item: Item): boolean {
    return item.expiresAtSeconds * 1000 > this.#clock.now();
  }
}
