import type { JobStatus } from './answers.ts';

/** What every request may be told. */
export interface RequestOptions {
  /** Ends the request, its retries and the waiting in between. */
  readonly signal?: AbortSignal;
}

/** How to restart a job. */
export interface RetryCommand {
  /** Advice in words, which the agent reads as `ctx.hints`. */
  readonly hint?: string;
  /** The first step to run again. @default - what succeeded is kept */
  readonly fromStep?: string;
}

/** Where a new job goes on from the one that it is made of. */
export interface ForkCommand {
  /** The first step that the new job runs itself. */
  readonly fromStep: string;
  readonly hint?: string;
  /** @default - a new one for each call */
  readonly idempotencyKey?: string;
}

/** What a signal may be told beside its body. */
export interface SignalOptions extends RequestOptions {
  /**
   * A signal counts once per key.
   * @default - it follows from name and body, so that the same signal sent twice counts once
   */
  readonly idempotencyKey?: string;
}

/** How long to wait for the end of a job. */
export interface WaitOptions extends RequestOptions {
  /** @default - as long as it takes */
  readonly timeoutMs?: number;
}

/** Where to begin in the events of a job. */
export interface EventsOptions extends RequestOptions {
  /** `eventId` of the event to go on behind. @default - from the beginning */
  readonly after?: string;
}

/** Which jobs to list. */
export interface JobFilter {
  readonly status?: JobStatus;
  readonly agent?: string;
  readonly tag?: string;
  /** ISO 8601 */
  readonly createdAfter?: string;
  /** ISO 8601 */
  readonly createdBefore?: string;
}

/** Which dead letters to list. */
export interface DeadLetterFilter {
  readonly agent?: string;
  /** Error code of the job. */
  readonly code?: string;
}

/** Which jobs count as stalled, and which of them to list. */
export interface StalledJobFilter {
  /** What waits or is paused for no longer is left out: `90m`, `2h`, `7d`. @default - 24h */
  readonly waitingLonger?: string;
  readonly agent?: string;
  /** ISO 8601. */
  readonly createdAfter?: string;
}

/** Which part of a list. */
export interface PageOptions extends RequestOptions {
  /** Items of a part, 100 at most. @default - 20 */
  readonly limit?: number;
  /** `next` of the part before. @default - the first part */
  readonly cursor?: string;
}

/** Which dead letters to redrive: by job, 100 at a time, or all that there are, of an agent or with a code. */
export type RedriveSelection = {
  /** Advice in words, which the agents read as `ctx.hints`. */
  readonly hint?: string;
} & (
  | { readonly jobIds: readonly string[] }
  | ({
      readonly all: true;
      /** Jobs that the request takes, 100 at most. @default - as many as it gets to */
      readonly limit?: number;
      /** `next` of the answer before. */
      readonly cursor?: string;
    } & DeadLetterFilter)
);
