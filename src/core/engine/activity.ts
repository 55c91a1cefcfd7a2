import type { WaitReason } from '../job/job.ts';
import type { Clock } from '../ports/clock.ts';

/** No invocation outlives this (Lambda's longest timeout), so no timer in it need be longer. */
const MAX_INVOCATION_MS = 900_000;

/** A branch of the agent that cannot move now: until an instant, or until the job's next slice. */
export interface Park {
  readonly reason: WaitReason | 'slice';
  readonly wakeAt?: number;
  /** Name of the signal that the branch waits for. */
  readonly waitingOn?: string;
  /** Id of the wait for it. */
  readonly stepId?: string;
  /** Outcomes of sub-jobs that the branch lacks. */
  readonly missing?: number;
}

/**
 * Knows whether anything of a job can still move here. When nothing can and some branch is parked, `onIdle` gets the
 * parks: the job suspends. A parked branch is a promise that does not settle, which no `catch` of the agent can see.
 */
export class Activity {
  readonly #clock: Clock;
  readonly #onIdle: (parks: readonly Park[]) => void;
  readonly #parks = new Map<Park, () => void>();
  readonly #cancelTimers: (() => void)[] = [];
  #busy = 0;
  #stopped = false;

  constructor(clock: Clock, onIdle: (parks: readonly Park[]) => void) {
    this.#clock = clock;
    this.#onIdle = onIdle;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#busy++;
    try {
      return await work();
    } finally {
      this.#busy--;
      this.#considerIdle();
    }
  }

  /** Settles only if its time comes, or something wakes it, while other branches keep the job running here. */
  park(park: Park): Promise<void> {
    return new Promise((resolve) => {
      const unpark = (): void => {
        this.#parks.delete(park);
        resolve();
      };
      this.#parks.set(park, unpark);
      const delayMs = (park.wakeAt ?? Infinity) - this.#clock.now();
      if (delayMs <= MAX_INVOCATION_MS) {
        this.#cancelTimers.push(this.#clock.setTimer(Math.max(0, delayMs), unpark));
      }
      this.#considerIdle();
    });
  }

  /** Lets branches that wait for a reason look again. */
  wake(...reasons: readonly Park['reason'][]): void {
    for (const [park, unpark] of [...this.#parks]) if (reasons.includes(park.reason)) unpark();
  }

  /** From here on nothing wakes any more. */
  stop(): void {
    this.#stopped = true;
    for (const cancel of this.#cancelTimers.splice(0)) cancel();
  }

  /** The agent's own continuations come first: idle is what is idle after they have run. */
  #considerIdle(): void {
    if (this.#busy > 0 || this.#parks.size === 0) return;
    this.#clock.afterTurn(() => {
      if (this.#stopped || this.#busy > 0 || this.#parks.size === 0) return;
      this.#onIdle([...this.#parks.keys()]);
    });
  }
}
