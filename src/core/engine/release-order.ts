import type { Clock } from '../ports/clock.ts';

/** Place of something in the course of a job: when it was settled, and among what was recorded. */
export interface Moment {
  /** Epoch milliseconds by the journal, never going back along it. */
  readonly at: number;
  readonly order: number;
}

interface Waiting extends Moment {
  /** Whether what is to be handed out is at hand. */
  isReady: boolean;
  readonly release: () => void;
}

/**
 * Hands what has been settled to the agent one at a time, in the order of the journal: a race between branches has the same
 * winner in every replay. Between two of them the agent's own continuations run, which may ask for one that comes first.
 */
export class ReleaseOrder {
  readonly #clock: Clock;
  #waiting: Waiting[] = [];
  #isPumping = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether something is about to be handed out, and not only waited for. */
  get isReleasing(): boolean {
    return this.#first()?.isReady === true;
  }

  /**
   * Gives what is prepared for the agent when it is the turn of this moment. The place is taken before the preparation, and
   * whatever comes later waits for it: a large outcome that has to be fetched must not come behind a small one.
   */
  async turnOf<T>(moment: Moment, prepare: () => Promise<T>): Promise<T> {
    const prepared = prepare();
    await new Promise<void>((release) => {
      const waiting = { ...moment, isReady: false, release };
      const ready = (): void => {
        waiting.isReady = true;
        this.#pump();
      };
      this.#waiting.push(waiting);
      prepared.then(ready, ready);
    });
    return prepared;
  }

  #pump(): void {
    if (this.#isPumping || !this.isReleasing) return;
    this.#isPumping = true;
    this.#clock.afterTurn(() => {
      this.#isPumping = false;
      const first = this.#first();
      // Meanwhile the agent may have asked for what comes first and is still to be fetched.
      if (first?.isReady !== true) return;
      this.#waiting = this.#waiting.filter((waiting) => waiting !== first);
      first.release();
      this.#pump();
    });
  }

  #first(): Waiting | undefined {
    let first: Waiting | undefined;
    for (const waiting of this.#waiting) {
      if (first === undefined || isBefore(waiting, first)) first = waiting;
    }
    return first;
  }
}

export function isBefore(a: Moment, b: Moment): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
