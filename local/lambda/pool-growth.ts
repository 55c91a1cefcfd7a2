import { availableParallelism, cpus } from 'node:os';

/**
 * Environments a function gets without asking. On AWS every request that finds none free gets a new one; here each costs
 * a process of 40 MB and a core for 150 ms, and more of them than cores only take time from each other.
 */
export const STARTED_AT_ONCE = 2 * availableParallelism();

const LOOK_EVERY_MS = 150;
/** With less of the machine idle, requests wait for its cores rather than for an environment. */
const IDLE_SHARE = 0.2;
const PATIENCE_WHILE_BUSY_MS = 1_000;

/** Decides when a function whose requests wait gets one more environment: when none has become free for a while. */
export class PoolGrowth {
  readonly #grow: () => void;
  #timer: NodeJS.Timeout | undefined;
  #freedAt = 0;

  constructor(grow: () => void) {
    this.#grow = grow;
  }

  /** Watches while requests wait. */
  expect(isWaiting: boolean): void {
    if (isWaiting === (this.#timer !== undefined)) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (!isWaiting) return;
    this.restart();
    let last = coreTimes();
    this.#timer = setInterval(() => {
      const now = coreTimes();
      const idleShare = (now.idle - last.idle) / Math.max(1, now.total - last.total);
      last = now;
      this.#look(idleShare > IDLE_SHARE ? LOOK_EVERY_MS : PATIENCE_WHILE_BUSY_MS);
    }, LOOK_EVERY_MS);
  }

  /** An environment has become free, so they are not stuck. */
  restart(): void {
    this.#freedAt = Date.now();
  }

  #look(patienceMs: number): void {
    if (Date.now() - this.#freedAt < patienceMs) return;
    this.restart();
    this.#grow();
  }
}

/** What the cores of the machine have spent so far, whoever used them. */
function coreTimes() {
  const times = cpus().map((core) => core.times);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    idle: sum(times.map(({ idle }) => idle)),
    total: sum(times.flatMap((time) => Object.values<number>(time))),
  };
}
