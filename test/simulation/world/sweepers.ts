import type { EngineDeps } from '../../../src/core/engine/engine-deps.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import type { Weather } from './faults.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';
import { SimProcess } from './sim-process.ts';
import type { Storage } from './storage.ts';

const PERIOD_MS = 10_000;

export interface SweepersOptions {
  readonly scheduler: Scheduler;
  readonly storage: Storage;
  readonly random: Random;
  readonly weather: Weather;
  readonly depsOf: (process: SimProcess) => EngineDeps;
}

/** Two sweepers that know nothing of each other. One that would find nothing is not run: that only saves events. */
export class Sweepers {
  readonly #options: SweepersOptions;
  readonly #next: { at: number; cancel: () => void }[] = [];
  #count = 0;

  constructor(options: SweepersOptions) {
    this.#options = options;
    for (const lane of [0, 1])
      this.#plan(lane, options.scheduler.now + options.random.between(1, PERIOD_MS));
  }

  /** Something is due at that instant. */
  due(at: number): void {
    for (const [lane, { at: planned }] of this.#next.entries()) {
      if (at < planned)
        this.#plan(lane, Math.max(at, this.#options.scheduler.now) + this.#jitter());
    }
  }

  #jitter(): number {
    return this.#options.random.between(PERIOD_MS / 10, PERIOD_MS);
  }

  #plan(lane: number, at: number): void {
    const planned = this.#next[lane];
    if (planned !== undefined && planned.at <= at) return;
    planned?.cancel();
    const cancel = this.#options.scheduler.at(at, () => {
      this.#look(lane);
    });
    this.#next[lane] = { at, cancel };
  }

  #look(lane: number): void {
    const { scheduler, storage, random, weather, depsOf } = this.#options;
    this.#next[lane] = { at: Infinity, cancel: () => undefined };
    if (storage.nextDue() <= scheduler.now + weather.skewMs) {
      const process = new SimProcess(scheduler, {
        role: 'sweeper',
        name: `S${lane + 1}.${++this.#count}`,
        skewMs: random.between(-weather.skewMs, weather.skewMs),
      });
      sweep(depsOf(process)).catch(() => undefined);
      this.#plan(lane, scheduler.now + this.#jitter());
      return;
    }
    const next = storage.nextDue();
    if (next < Infinity) this.#plan(lane, Math.max(next, scheduler.now) + this.#jitter());
  }
}
