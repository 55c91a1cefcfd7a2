import type { JobNotify } from '../notify/job-notify.ts';
import type { JobLimits } from '../policy/job-limits.ts';
import type { StoredValue } from './stored-value.ts';

export type FinalStatus = 'succeeded' | 'failed' | 'cancelled';
export type JobStatus = 'queued' | 'running' | 'waiting' | FinalStatus;

export type WaitReason =
  | 'start'
  | 'sleep'
  | 'signal'
  | 'children'
  | 'retry'
  | 'rate_limit'
  | 'budget'
  | 'ordering'
  | 'concurrency'
  | 'paused'
  | 'agent_missing'
  | 'agent_refused'
  | 'effect_unknown';

/** What a final status still owes somebody. */
export type Duty = 'webhook' | 'parent' | 'children' | 'deadLetter' | 'event';

export interface Progress {
  readonly completed?: number;
  readonly total?: number;
  readonly message?: string;
}

/** Running totals of a job; a copy rides on every journal page and on the final job item. */
export interface Totals {
  readonly progress?: Progress;
  /** Calls of `ctx.progress` that these totals reflect: a replay skips as many. */
  readonly progressReports: number;
  readonly stepsSucceeded: number;
  readonly stepsFailed: number;
  /** Of a fork: steps that its origin did. */
  readonly copiedSteps?: number;
  /** Size of the journal so far as JSON. Absent in journals from before it was counted. */
  readonly journalBytes?: number;
}

/** Error of a failed job, as callers see it: enough to reproduce it. */
export interface JobError {
  readonly code: string;
  readonly message: string;
  /** Scoped id of the step that failed, if one did. */
  readonly step?: string;
  readonly attempt: number;
  /** The error underneath, as the step threw it. */
  readonly cause?: StoredError;
}

/** Of the answer of a service: enough to find it in that service's own logs. */
export interface Downstream {
  readonly status: number;
  readonly requestId?: string;
}

/** An error as the journal keeps it. */
export interface StoredError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  /** What a service answered, when the error is about that. */
  readonly downstream?: Downstream;
  readonly cause?: StoredError;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** How a user retry cut a generation of the journal. */
export interface Cut {
  readonly generation: number;
  /** Last page of that generation that counts. */
  readonly seq: number;
  readonly keep: 'succeeded' | { readonly before: string };
}

/**
 * The job item. Instants are epoch milliseconds. Rewritten by every transition and billed by its whole size, so it stays
 * under 1 KB: larger parts live in items of their own.
 */
export interface Job {
  readonly jobId: string;
  readonly tenantId: string;
  readonly agent: string;
  readonly status: JobStatus;
  readonly waitingFor?: WaitReason;
  /** Name of the signal that a job waits for. */
  readonly waitingOn?: string;
  /** 1, and one more with every user retry. */
  readonly generation: number;
  /** Raised by every claim: the fence, and the attempt's number. */
  readonly epoch: number;
  /** Invocation that runs the job. */
  readonly owner?: string;
  /** End of that invocation at the latest. */
  readonly ownerUntil?: number;
  /** Raised by everything that could wake the job. */
  readonly wakeups: number;
  readonly wakeAt?: number;
  readonly deadlineAt: number;
  /** When somebody must look at the job again; every unfinished job has it. */
  readonly dueAt?: number;
  /** Environments this job died with in a row. */
  readonly crashes: number;
  readonly cancelRequestedAt?: number;
  readonly paused?: boolean;
  readonly cuts?: readonly Cut[];
  /** Outcomes of sub-jobs that must come before the job can go on; saves wake-ups and decides nothing. */
  readonly joinPending?: number;
  /** Signals that it was sent; what a crash left uncounted is little. */
  readonly signals?: number;
  /** Slices in a row that ended without a page. */
  readonly hops?: number;
  readonly duties?: readonly Duty[];
  readonly createdAt: number;
  /** When it was to start, if not at once. */
  readonly startAt?: number;
  readonly updatedAt: number;
  readonly startedAt?: number;
  /** Start of the current generation, when it is not the first. */
  readonly restartedAt?: number;
  readonly finishedAt?: number;
  /** SHA-256 of the canonical submission, hex. */
  readonly fingerprint: string;
  readonly input: StoredValue;
  /** Tighter than the agent's. */
  readonly limits?: JobLimits;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly hints?: readonly string[];
  /** Where the caller wants to be told of the job. */
  readonly notify?: JobNotify;
  /** Whether the tenant had endpoints of its own when the job was submitted. */
  readonly notifyTenant?: true;
  /** The job that spawned this one. */
  readonly parentId?: string;
  /** Spawns between this job and the one a client submitted. */
  readonly depth?: number;
  /** The job this one is a fork of. */
  readonly forkOf?: string;
  readonly traceparent?: string;
  readonly result?: StoredValue;
  readonly error?: JobError;
  readonly deadLettered?: boolean;
  /** Version of the agent that ended the job, when it is deployed. */
  readonly agentVersion?: string;
  readonly totals?: Totals;
  /** Epoch seconds; the item may be gone afterwards, and readers ignore it from then on. */
  readonly expiresAtSeconds: number;
}

/** Whether the time of a job has not come yet: a wake-up must not start it before. */
export function isBeforeStart({ status, startAt, startedAt }: Job): boolean {
  return status === 'waiting' && startAt !== undefined && startedAt === undefined;
}

/** When work on the job could begin: after its submission, at its start, or after its last restart. */
export function beginOf({ createdAt, startAt, restartedAt }: Job): number {
  return restartedAt ?? startAt ?? createdAt;
}

export function isFinal(status: JobStatus): status is FinalStatus {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled';
}
