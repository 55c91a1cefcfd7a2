import type { Clock } from '../ports/clock.ts';

/** Place of something in the course of a job: when it was settled, and among what was recorded. */
export interface Moment {
  /** Epoch milliseconds by the journal, never going back along it. */
  readonly at: number;
  readonly order: number;
}

/**
 * Hands what has been settled to the agent one at a time, in the order of the journal: a race between branches has the same
 * winner in every replay. Between two of them the agent's own continuations run, which may ask for one that comes first.
 */
export class ReleaseOrder {
  readonly #clock: Clock;
  #waiting: (Moment & { readonly release: () => void })[] = [];
  #isPumping = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0;
  }

  /** Settles when it is the turn of this moment. */
  turnOf({ at, order }: Moment): Promise<void> {
    return new Promise((release) => {
      this.#waiting.push({ at, order, release });
      this.#pump();
    });
  }

  #pump(): void {
    if (this.#isPumping || this.isIdle) return;
    this.#isPumping = true;
    this.#clock.afterTurn(() => {
      this.#isPumping = false;
      const first = this.#waiting.reduce((a, b) => (isBefore(b, a) ? b : a));
      this.#waiting = this.#waiting.filter((waiting) => waiting !== first);
      first.release();
      this.#pump();
    });
  }
}

export function isBefore(a: Moment, b: Moment): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
