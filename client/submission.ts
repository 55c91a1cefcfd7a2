import type { RequestOptions } from './requests.ts';

/** Where an input lies that was uploaded. */
export interface InputRef {
  readonly uploadId: string;
}

/** A bound of one job. It may only be tighter than that of its agent. */
export interface JobLimits {
  readonly maxSteps?: number;
  /** `'90s'`, `'5m'`, `'2h'`, `'30d'` */
  readonly maxDuration?: string;
}

/** Who is told of what becomes of a job. */
export interface Notify {
  /** Where the webhook is sent to. */
  readonly url: string;
  /** @default - all of them */
  readonly events?: readonly ('succeeded' | 'failed' | 'cancelled' | 'waiting')[];
}

interface SubmissionFields {
  /** Name of the agent that does the job. */
  readonly agent: string;
  /** Text entries of yours, given back with the job. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Labels of yours, given back with the job, to list jobs by. */
  readonly tags?: readonly string[];
  /** @default - those of the agent */
  readonly limits?: JobLimits;
  /** @default - the endpoints of the tenant, if it has any */
  readonly notify?: Notify;
  /** How long the job waits before it starts: `'90s'`, `'2h'`. @default - it starts at once */
  readonly delay?: string;
  /** When it starts, in ISO 8601; not together with `delay`. */
  readonly startAt?: string;
  /**
   * The same key and payload make one job, however often they are submitted.
   * @default - a new one for each call, so that the client's own retries make no second job
   */
  readonly idempotencyKey?: string;
}

/**
 * A job to be done. Its input is any JSON value the agent's schema accepts; one too large for a request is uploaded first,
 * without a word of yours.
 */
export type Submission = SubmissionFields &
  (
    | { readonly input: unknown; readonly inputRef?: never }
    | { readonly inputRef: InputRef; readonly input?: never }
  );

/** How a submission is sent. */
export interface SubmitOptions extends RequestOptions {
  /**
   * How long the answer may be held back for the job to end, in seconds, 20 at most: then it shows the result.
   * @default - not at all
   */
  readonly waitSeconds?: number;
}
