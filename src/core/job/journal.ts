import type { FinalStatus, JobError, StoredError, Totals } from './job.ts';
import type { StoredValue } from './stored-value.ts';

interface EntryBase {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Attempt (epoch of the job) that wrote it. */
  readonly attempt: number;
  /** Version of the agent; on the first entry of each attempt, so that it costs no write. */
  readonly agentVersion?: string;
}

export interface AttemptStarted extends EntryBase {
  readonly type: 'attempt.started';
  readonly crashes: number;
}

/** Written only by an attempt after a crash, so that the step which kills its worker can be named. */
export interface StepStarted extends EntryBase {
  readonly type: 'step.started';
  readonly stepId: string;
  /** 1-based. */
  readonly try: number;
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

export interface WaitStarted extends EntryBase {
  readonly type: 'wait.started';
  readonly stepId: string;
  /** Name of the signal. */
  readonly name: string;
  /** End of the wait, when it has one. */
  readonly until?: number;
}

/** A signal was consumed by a wait: no replay and no later wait gets it again. */
export interface SignalReceived extends EntryBase {
  readonly type: 'signal.received';
  readonly stepId: string;
  readonly name: string;
  readonly signalId: string;
  readonly body: StoredValue;
}

/** A signal did not fit the schema of the wait that met it; the wait goes on. */
export interface SignalRejected extends EntryBase {
  readonly type: 'signal.rejected';
  readonly stepId: string;
  readonly name: string;
  readonly signalId: string;
  readonly error: StoredError;
}

export interface WaitTimedOut extends EntryBase {
  readonly type: 'wait.timed_out';
  readonly stepId: string;
  readonly name: string;
}

export interface ChildSpawned extends EntryBase {
  readonly type: 'child.spawned';
  readonly stepId: string;
  readonly childId: string;
  readonly agent: string;
  /** Whether the child is cancelled when the job fails or is cancelled. */
  readonly cancelWithParent: boolean;
}

export interface ChildFinished extends EntryBase {
  readonly type: 'child.finished';
  readonly childId: string;
  readonly status: FinalStatus;
  readonly result?: StoredValue;
  readonly error?: JobError;
}

/**
 * A command of a user: it only says "read the job item"; the item's fields decide. It may come late: a pause behind the resume
 * that took it back.
 */
export interface CommandRequested extends EntryBase {
  readonly type: 'cancel.requested' | 'pause.requested' | 'job.resumed';
}

/** Whether an entry is a command's, which says nothing of how far the job has come. */
export function isCommand(entry: JournalEntry): entry is CommandRequested {
  const { type } = entry;
  return type === 'cancel.requested' || type === 'pause.requested' || type === 'job.resumed';
}

/** First page of a new generation: the outcome that a user retry put aside. */
export interface JobRestarted extends EntryBase {
  readonly type: 'job.restarted';
  readonly previous: { readonly status: FinalStatus; readonly error?: JobError };
  readonly fromStep?: string;
  readonly hint?: string;
}

export interface ProgressReported extends EntryBase {
  readonly type: 'progress.reported';
  readonly completed?: number;
  readonly total?: number;
  readonly message?: string;
}

export interface LogWritten extends EntryBase {
  readonly type: 'log.written';
  /** The step that wrote it, if one did; such a line is not written again by a replay, which does not run the step. */
  readonly stepId?: string;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The fence of a failed job: it decides how the job ends, and no earlier owner can append behind it. */
export interface JobFailed extends EntryBase {
  readonly type: 'job.failed';
  readonly error: JobError;
  readonly deadLettered: boolean;
}

/** The same of a cancelled job. Success needs no such entry: it is read from the job item. */
export interface JobCancelled extends EntryBase {
  readonly type: 'job.cancelled';
  /** Why the agent's clean-up did not come to its end. */
  readonly cleanUpError?: StoredError;
}

export type JournalEntry =
  | AttemptStarted
  | StepStarted
  | StepSucceeded
  | StepFailed
  | SleepStarted
  | WaitStarted
  | SignalReceived
  | SignalRejected
  | WaitTimedOut
  | ChildSpawned
  | ChildFinished
  | CommandRequested
  | JobRestarted
  | ProgressReported
  | LogWritten
  | JobFailed
  | JobCancelled;

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
