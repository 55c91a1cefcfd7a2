import type { Duration } from './duration.ts';

/** What `ctx.step` hands to the function it runs. */
export interface StepContext {
  /** 1-based count of tries of this step, over all attempts of the job. */
  readonly attempt: number;
  /** The same on every try of this step, also on other workers: pass it to whatever must not happen twice. */
  readonly idempotencyKey: string;
  /** Fires on timeout, cancel, lost lease and the end of the time slice. Pass it to `fetch` and the like. */
  readonly signal: AbortSignal;
}

export interface StepOptions {
  /** Tries after the first one. Default 3, at most 100. */
  readonly retries?: number;
  /** How long one try may take. Default `'60s'`; at most what a time slice can give. */
  readonly timeout?: Duration;
  /** Exponential backoff with full jitter between tries: a random delay below `min(max, base * 2^n)`. */
  readonly backoff?: { readonly base?: Duration; readonly max?: Duration };
}

export interface MapOptions {
  /** How many items are worked on at once. Default 10. */
  readonly concurrency?: number;
}

export interface Progress {
  readonly completed?: number;
  readonly total?: number;
  /** At most 256 characters. */
  readonly message?: string;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** A region of the agent with step ids of its own: `ctx` itself, and what `ctx.map` and `ctx.scope` open. */
export interface Scope {
  /**
   * Runs `fn` once and records its outcome under `id`; every later replay gets the recorded outcome instead.
   * What `fn` returns must be representable as JSON.
   * @throws the step's last error once its tries are exhausted; `run` may catch it.
   */
  step<T>(id: string, fn: (step: StepContext) => T | Promise<T>, options?: StepOptions): Promise<T>;
  /** Runs `fn` for every item, each in a scope `id[index]`, at most `concurrency` at once; results in item order. */
  map<T, R>(
    id: string,
    items: readonly T[],
    options: MapOptions,
    fn: (item: T, scope: Scope, index: number) => R | Promise<R>,
  ): Promise<R[]>;
  /** Opens a scope, so that the same code can be used twice in one job. */
  scope<T>(id: string, fn: (scope: Scope) => T | Promise<T>): Promise<T>;
}

/** What `run` gets: the durable operations, and what is known of the job. */
export interface AgentContext extends Scope {
  readonly jobId: string;
  readonly tenantId: string;
  /** 1-based count of leased tries to advance this job; differs between replays, so use it inside steps only. */
  readonly attempt: number;
  /** Hints given with user retries, oldest first. */
  readonly hints: readonly string[];
  /** Suspends the job for a duration, or until an instant; holds no compute meanwhile. */
  sleep(id: string, durationOrUntil: Duration | Date): Promise<void>;
  /** Sets the progress a caller sees. Values left out keep what they were. */
  progress(progress: Progress): void;
  /** Adds a line to the job's trace and to the logs; once, also when replayed. `data` up to 8 KB of JSON. */
  log(message: string, data?: Readonly<Record<string, unknown>>, level?: LogLevel): void;
}
