import type { Clock } from '../../core/ports/clock.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Time that a test turns by hand: nothing happens until it is told to. */
export class VirtualClock implements Clock {
  #now: number;
  #order = 0;
  #timers: Timer[] = [];
  #turnsAsked = 0;

  constructor(startAt = Date.UTC(2030, 0, 1)) {
    this.#now = startAt;
  }

  now(): number {
    return this.#now;
  }

  setTimer(delayMs: number, callback: () => void): () => void {
    const timer = { at: this.#now + delayMs, order: this.#order++, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** How often something wanted to go on without time passing. */
  get turnsAsked(): number {
    return this.#turnsAsked;
  }

  afterTurn(callback: () => void): void {
    this.#turnsAsked++;
    setImmediate(callback);
  }

  /** Whether anything waits for time to pass. */
  get hasTimer(): boolean {
    return this.#timers.length > 0;
  }

  /** Jumps to the next timer that is due by `until` and fires it; false when there is none. */
  fireNext(until = Infinity): boolean {
    const [next] = this.#timers.toSorted((a, b) => a.at - b.at || a.order - b.order);
    if (next === undefined || next.at > until) return false;
    this.#timers = this.#timers.filter((timer) => timer !== next);
    this.#now = Math.max(this.#now, next.at);
    next.callback();
    return true;
  }

  forgetTimers(): void {
    this.#timers = [];
  }

  /** Moves time forward without firing what lies between. */
  jump(byMs: number): void {
    this.#now += byMs;
  }
}

/** Lets everything that can run without time passing run, until nothing asks for another turn. */
export async function quiet(clock: VirtualClock): Promise<void> {
  let before: number;
  do {
    before = clock.turnsAsked;
    await turns();
  } while (clock.turnsAsked !== before);
}

/** Lets everything that can run without the clock run. */
export async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}
