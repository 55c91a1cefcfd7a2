import type { StandardSchemaV1 } from '@standard-schema/spec';
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

/** How a step is tried; for `ctx.step`. */
export interface StepOptions {
  /** Tries after the first one. Default 3, at most 100. */
  readonly retries?: number;
  /** How long one try may take. Default `'60s'`; at most what a time slice can give, and `limits.maxStepTimeout` of the agent. */
  readonly timeout?: Duration;
  /** Exponential backoff with full jitter between tries: a random delay below `min(max, base * 2^n)`. */
  readonly backoff?: { readonly base?: Duration; readonly max?: Duration };
}

/** For `ctx.map`. */
export interface MapOptions {
  /** How many items are worked on at once. Default 10. */
  readonly concurrency?: number;
}

/** How far a job has come, as its caller sees it. */
export interface Progress {
  readonly completed?: number;
  readonly total?: number;
  /** At most 256 characters. */
  readonly message?: string;
}

/** What `ctx.waitForSignal` waits for, and how long. */
export interface SignalOptions<Schema extends StandardSchemaV1> {
  /** Checked against each signal; one that does not fit is put aside, and the wait goes on. */
  readonly schema: Schema;
  /** Name of the signal. Default: the id of the wait. */
  readonly name?: string;
  /** How long to wait. Default: until the job's own deadline. */
  readonly timeout?: Duration;
}

/** For `ctx.spawn`. */
export interface SpawnOptions {
  /** Whether the sub-job is cancelled when this job fails or is cancelled. Default true. */
  readonly cancelWithParent?: boolean;
}

/** A sub-job that was spawned; what `ctx.join` takes. */
export interface ChildHandle {
  readonly jobId: string;
  readonly agent: string;
}

/** How a sub-job ended, for `ctx.join(…, { onFailure: 'collect' })`. */
export type ChildResult<T = unknown> =
  | { readonly status: 'succeeded'; readonly jobId: string; readonly value: T }
  | {
      readonly status: 'failed' | 'cancelled';
      readonly jobId: string;
      readonly error: { readonly code: string; readonly message: string };
    };

/** Level of a line written by `ctx.log`; `info` unless given. */
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
  /** Suspends this branch for a duration, or until an instant; holds no compute meanwhile. */
  sleep(id: string, durationOrUntil: Duration | Date): Promise<void>;
  /**
   * Waits for a signal from outside, for instance a human decision; holds no compute meanwhile. A signal that came before the
   * wait counts.
   * @throws AppError `signal_timeout` when none came in time; `run` may catch it.
   */
  waitForSignal<Schema extends StandardSchemaV1>(
    id: string,
    options: SignalOptions<Schema>,
  ): Promise<StandardSchemaV1.InferOutput<Schema>>;
  /**
   * Starts a sub-job, once: a replay gets the same one.
   * @throws AppError `unknown_child_agent`, `invalid_child_input`, `children_exceeded`
   */
  spawn(id: string, agent: string, input: unknown, options?: SpawnOptions): Promise<ChildHandle>;
}

/** What `run` gets: the durable operations, and what is known of the job. */
export interface AgentContext extends Scope {
  readonly jobId: string;
  /** Owner of the job. */
  readonly tenantId: string;
  /** 1-based count of leased tries to advance this job; differs between replays, so use it inside steps only. */
  readonly attempt: number;
  /** Hints given with user retries, oldest first. */
  readonly hints: readonly string[];
  /**
   * Waits until all of these sub-jobs have ended and gives their results in order.
   * @throws AppError `child_failed` naming the first one that did not succeed, unless `onFailure` is `'collect'`.
   */
  join<T = unknown>(
    handles: readonly ChildHandle[],
    options?: { readonly onFailure?: 'fail' },
  ): Promise<T[]>;
  join<T = unknown>(
    handles: readonly ChildHandle[],
    options: { readonly onFailure: 'collect' },
  ): Promise<ChildResult<T>[]>;
  /** Sets the progress a caller sees. Values left out keep what they were. */
  progress(progress: Progress): void;
  /** Adds a line to the job's trace and to the logs; once, also when replayed. `data` up to 8 KB of JSON. */
  log(message: string, data?: Readonly<Record<string, unknown>>, level?: LogLevel): void;
}
