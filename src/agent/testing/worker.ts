import type { EngineDeps } from '../../core/engine/engine-deps.ts';
import type { JournalEntry, JournalPage } from '../../core/job/journal.ts';
import type { JobStore } from '../../core/ports/job-store.ts';
import { type Faults, isWork } from './faults.ts';
import { WorkerClock } from './worker-clock.ts';

export interface WorkerOptions {
  readonly faults: Faults;
  /** End of its time slice. */
  readonly sliceEndsAt: number;
  /** Whether its slice ends after each page it writes. */
  readonly isReplacedAfterEachPage: boolean;
}

/** One worker: a way to the world that it loses when it dies. */
export class Worker {
  readonly deps: EngineDeps;
  readonly died: Promise<void>;
  readonly #clock: WorkerClock;
  readonly #options: WorkerOptions;
  #isDead = false;
  #tell!: () => void;

  constructor(deps: EngineDeps, options: WorkerOptions) {
    this.#options = options;
    this.#clock = new WorkerClock(deps.clock);
    this.deps = { ...deps, clock: this.#clock, jobs: this.#through(deps.jobs) };
    this.died = new Promise((resolve) => {
      this.#tell = resolve;
    });
  }

  /** Its calls end nowhere from here on, and its timers are gone. */
  die(): void {
    this.#isDead = true;
    this.#clock.stop();
    this.#tell();
  }

  #through(jobs: JobStore): JobStore {
    return new Proxy(jobs, {
      get: (store, name, receiver) => {
        const method: unknown = Reflect.get(store, name, receiver);
        if (typeof method !== 'function') return method;
        const call = method as (...all: unknown[]) => Promise<unknown>;
        return (...args: unknown[]) => {
          const proceed = (): Promise<unknown> => this.#unlessDead(() => call.apply(store, args));
          return name === 'appendPage' ? this.#append(args[0] as JournalPage, proceed) : proceed();
        };
      },
    });
  }

  async #unlessDead(proceed: () => Promise<unknown>): Promise<unknown> {
    if (this.#isDead) return never();
    const answer = await proceed();
    return this.#hasDied() ? never() : answer;
  }

  async #append(page: JournalPage, proceed: () => Promise<unknown>): Promise<unknown> {
    const crash = this.#isDead ? undefined : this.#options.faults.meetPage(page);
    if (crash === 'before') this.die();
    const answer = await proceed();
    if (crash === 'after') {
      this.die();
      return never();
    }
    if (this.#options.isReplacedAfterEachPage && page.entries.some(isResumable)) {
      this.#clock.bringForward(this.#options.sliceEndsAt);
    }
    return answer;
  }

  // A method, since TypeScript would narrow the field across an await.
  #hasDied(): boolean {
    return this.#isDead;
  }
}

/** Behind a final entry nothing is left to be replayed. */
function isResumable(entry: JournalEntry): boolean {
  return isWork(entry) && entry.type !== 'job.failed' && entry.type !== 'job.cancelled';
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
