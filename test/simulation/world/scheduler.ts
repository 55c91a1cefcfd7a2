/** Who an event belongs to: what is dead gets none, what is frozen gets it later. */
export interface Host {
  readonly isDead: boolean;
  readonly frozenUntil: number;
}

interface Event {
  readonly at: number;
  readonly order: number;
  readonly host: Host | undefined;
  readonly callback: () => void;
  cancelled: boolean;
}

interface Turn {
  readonly host: Host;
  readonly callback: () => void;
}

const MAX_TURNS = 100_000;

/**
 * Virtual time: one event at a time, in the order of their instants. Everything that an event sets going without time
 * passing has run before the next event begins, so a run is determined by its seed alone.
 */
export class Scheduler {
  now: number;
  /** Events that have run. */
  count = 0;
  #order = 0;
  #turnsInARow = 0;
  readonly #heap: Event[] = [];
  readonly #turns: Turn[] = [];
  readonly #deferred = new Map<Host, Turn[]>();

  constructor(startAt: number) {
    this.now = startAt;
  }

  /** Calls back at an instant; the answer cancels it. */
  at(instant: number, callback: () => void, host?: Host): () => void {
    const at = Math.max(this.now, instant);
    const event: Event = { at, order: this.#order++, host, callback, cancelled: false };
    this.#push(event);
    return () => {
      event.cancelled = true;
    };
  }

  in(delayMs: number, callback: () => void, host?: Host): () => void {
    return this.at(this.now + delayMs, callback, host);
  }

  /** Calls back once everything that is ready now has run. */
  afterTurn(callback: () => void, host: Host): void {
    this.#turns.push({ host, callback });
  }

  /** Runs until `isDone` says so after an event, or nothing is left: then false. */
  run(isDone: () => boolean): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const step = (): void => {
        try {
          if (isDone()) {
            resolve(true);
            return;
          }
          if (!this.#runOne()) {
            resolve(false);
            return;
          }
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
          return;
        }
        // A tick that a microtask asks for comes after the last microtask: no promise of this event is left unsettled then.
        queueMicrotask(() => {
          process.nextTick(step);
        });
      };
      process.nextTick(step);
    });
  }

  #runOne(): boolean {
    const turn = this.#turns.shift();
    if (turn !== undefined) {
      if (++this.#turnsInARow > MAX_TURNS) throw new Error('turns go round without time passing');
      const { host, callback } = turn;
      if (host.frozenUntil > this.now) this.#defer(turn);
      else if (!host.isDead) callback();
      return true;
    }
    for (let event = this.#pop(); event !== undefined; event = this.#pop()) {
      const { host, callback } = event;
      if (event.cancelled || host?.isDead === true) continue;
      this.now = event.at;
      if (host !== undefined && host.frozenUntil > event.at) {
        this.#push(Object.assign(event, { at: host.frozenUntil, order: this.#order++ }));
        continue;
      }
      this.count++;
      this.#turnsInARow = 0;
      callback();
      return true;
    }
    return false;
  }

  /** Turns of a frozen host come before anything else of it once it goes on, in their order: none may wait for a later one. */
  #defer(turn: Turn): void {
    const { host } = turn;
    const deferred = this.#deferred.get(host);
    if (deferred !== undefined) {
      deferred.push(turn);
      return;
    }
    this.#deferred.set(host, [turn]);
    const thaw = (): void => {
      this.#turns.push(...(this.#deferred.get(host) ?? []));
      this.#deferred.delete(host);
    };
    const at = host.frozenUntil;
    this.#push({ at, order: -1, host: undefined, callback: thaw, cancelled: false });
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let index = heap.length;
    heap.push(event);
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || isBefore(parent, event)) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = event;
  }

  #pop(): Event | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined || top === last) return top;
    let index = 0;
    for (;;) {
      let below = index * 2 + 1;
      let child = heap[below];
      if (child === undefined) break;
      const right = heap[below + 1];
      if (right !== undefined && isBefore(right, child)) {
        below++;
        child = right;
      }
      if (isBefore(last, child)) break;
      heap[index] = child;
      index = below;
    }
    heap[index] = last;
    return top;
  }
}

function isBefore(left: Event, right: Event): boolean {
  return left.at < right.at || (left.at === right.at && left.order < right.order);
}
