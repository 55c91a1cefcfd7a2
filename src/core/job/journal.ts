import type { StoredError, Totals } from './job.ts';
import type { StoredValue } from './stored-value.ts';

interface EntryBase {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Attempt (epoch of the job) that wrote it. */
  readonly attempt: number;
}

export interface AttemptStarted extends EntryBase {
  readonly type: 'attempt.started';
  readonly crashes: number;
  readonly agentVersion: string;
}

export interface StepSucceeded extends EntryBase {
  readonly type: 'step.succeeded';
  readonly stepId: string;
  /** 1-based. */
  readonly try: number;
  readonly durationMs: number;
  readonly outcome: StoredValue;
}

export interface StepFailed extends EntryBase {
  readonly type: 'step.failed';
  readonly stepId: string;
  readonly try: number;
  readonly durationMs: number;
  readonly error: StoredError;
  /** When the next try may start; absent when no try is left and the failure is the step's outcome. */
  readonly retryAt?: number;
}

export interface SleepStarted extends EntryBase {
  readonly type: 'sleep.started';
  readonly stepId: string;
  readonly until: number;
}

export interface ProgressReported extends EntryBase {
  readonly type: 'progress.reported';
  readonly completed?: number;
  readonly total?: number;
  readonly message?: string;
}

export interface LogWritten extends EntryBase {
  readonly type: 'log.written';
  /** Scope and ordinal in it; a replay skips what is recorded under the same id. */
  readonly logId: string;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The fence of a failed or cancelled job; success is read from the job item. */
export interface JobEnded extends EntryBase {
  readonly type: 'job.failed' | 'job.cancelled';
  readonly error: StoredError;
  readonly step?: string;
  readonly deadLettered: boolean;
}

export type JournalEntry =
  | AttemptStarted
  | StepSucceeded
  | StepFailed
  | SleepStarted
  | ProgressReported
  | LogWritten
  | JobEnded;

/** One item of the journal: written once, never changed. */
export interface JournalPage {
  readonly jobId: string;
  readonly generation: number;
  /** 1-based and without gaps within a generation. */
  readonly seq: number;
  readonly entries: readonly JournalEntry[];
  readonly totals: Totals;
  readonly expiresAtSeconds: number;
}
