import { availableParallelism } from 'node:os';

/**
 * Environments a function gets without asking. On AWS every request that finds none free gets a new one; here each costs
 * a thread of 30 to 40 MB and a core for 150 ms, and more of them than cores only take time from each other.
 */
export const STARTED_AT_ONCE = 2 * availableParallelism();

const LOOK_EVERY_MS = 150;
/** Below this share of one core the process waits rather than works, so another environment takes time from nobody. */
const WORKING_SHARE = 0.5;
const PATIENCE_WHILE_WORKING_MS = 2_000;

/** Decides when a function whose requests wait gets one more environment: when none has become free for a while. */
export class PoolGrowth {
  readonly #grow: () => void;
  #timer: NodeJS.Timeout | undefined;
  #since = { at: 0, cpu: process.cpuUsage() };

  constructor(grow: () => void) {
    this.#grow = grow;
  }

  /** Watches while requests wait. */
  expect(isWaiting: boolean): void {
    if (isWaiting === (this.#timer !== undefined)) return;
    if (isWaiting) {
      this.restart();
      this.#timer = setInterval(() => {
        if (!this.#isStuck()) return;
        this.restart();
        this.#grow();
      }, LOOK_EVERY_MS);
    } else {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  /** An environment has become free or was added, so it is not stuck any more. */
  restart(): void {
    this.#since = { at: Date.now(), cpu: process.cpuUsage() };
  }

  #isStuck(): boolean {
    const elapsedMs = Date.now() - this.#since.at;
    const { system, user } = process.cpuUsage(this.#since.cpu);
    const workedMs = (user + system) / 1000;
    return elapsedMs > PATIENCE_WHILE_WORKING_MS || workedMs < elapsedMs * WORKING_SHARE;
  }
}
