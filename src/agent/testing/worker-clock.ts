import type { Clock } from '../../core/ports/clock.ts';

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

/** The clock of one worker: its timers die with it. */
export class WorkerClock implements Clock {
  readonly #base: Clock;
  readonly #timers = new Map<Timer, () => void>();
  #stopped = false;

  constructor(base: Clock) {
    this.#base = base;
  }

  now(): number {
    return this.#base.now();
  }

  setTimer(delayMs: number, callback: () => void): () => void {
    const timer: Timer = {
      at: this.now() + delayMs,
      fire: () => {
        this.#forget(timer);
        callback();
      },
    };
    if (!this.#stopped) this.#timers.set(timer, this.#base.setTimer(delayMs, timer.fire));
    return () => {
      this.#forget(timer);
    };
  }

  afterTurn(callback: () => void): void {
    this.#base.afterTurn(() => {
      if (!this.#stopped) callback();
    });
  }

  /** Fires at once what is set for one instant. */
  bringForward(at: number): void {
    for (const timer of [...this.#timers.keys()]) if (timer.at === at) timer.fire();
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of [...this.#timers.keys()]) this.#forget(timer);
  }

  #forget(timer: Timer): void {
    this.#timers.get(timer)?.();
    this.#timers.delete(timer);
  }
}
