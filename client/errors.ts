import type { Job, Problem } from './answers.ts';

/** What is known of a request that was not answered as wanted. */
export interface LonghaulErrorOptions {
  readonly code: string;
  readonly status?: number;
  readonly problem?: Problem;
  readonly requestId?: string;
  readonly retryAfterMs?: number;
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

/**
 * Base of every error this client throws on purpose. Branch on `code`: that of the problem the API answered
 * (`unknown_agent`, `insufficient_scope`, …), or one of the client's own: `network_error`, `no_answer_in_time`,
 * `unexpected_answer`, `redirected`, `invalid_header`, `invalid_argument`.
 *
 * @example
 * ```ts
 * if (error instanceof LonghaulError && error.code === 'unknown_agent') console.error(error.problem?.knownAgents);
 * ```
 */
export class LonghaulError extends Error {
  readonly code: string;
  /** Status of the answer; absent when there was none. */
  readonly status: number | undefined;
  /** Body of the answer, when it is a problem: faults with their pointers, the limit hit, … */
  readonly problem: Problem | undefined;
  /** Names the request in the logs of the API. */
  readonly requestId: string | undefined;
  /** How long the API asked to wait before another try. */
  readonly retryAfterMs: number | undefined;
  /** Whether the same request may succeed later; the client has given up trying by then. */
  readonly retryable: boolean;

  constructor(message: string, options: LonghaulErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = options.code;
    this.status = options.status;
    this.problem = options.problem;
    this.requestId = options.requestId ?? options.problem?.requestId;
    this.retryAfterMs = options.retryAfterMs;
    this.retryable = options.retryable ?? false;
  }
}

/** A job whose result was asked for has failed; `code` is that of its error. */
export class JobFailedError extends LonghaulError {
  readonly job: Job;

  constructor(job: Job) {
    const { code = 'job_failed', message = 'it says no reason', step } = job.error ?? {};
    const where = step === undefined ? '' : ` in step ${step}`;
    super(`job ${job.jobId} failed${where}: ${message}`, { code });
    this.job = job;
  }
}

/** A job whose result was asked for was cancelled. */
export class JobCancelledError extends LonghaulError {
  readonly job: Job;

  constructor(job: Job) {
    super(`job ${job.jobId} was cancelled`, { code: 'cancelled' });
    this.job = job;
  }
}

/** A job did not end within `timeoutMs`; it goes on, and may be waited for again. */
export class WaitTimeoutError extends LonghaulError {
  readonly jobId: string;
  /** The job as it was seen last, if it was seen. */
  readonly job: Job | undefined;

  constructor(jobId: string, timeoutMs: number, job?: Job) {
    const last = job === undefined ? '' : `: it is ${job.status}`;
    super(`job ${jobId} did not end within ${timeoutMs} ms${last}`, { code: 'wait_timeout' });
    this.jobId = jobId;
    this.job = job;
  }
}

/** A webhook that is not, or not any more, one of Longhaul's: answer 400 and do nothing. */
export class WebhookVerificationError extends LonghaulError {
  constructor(message: string) {
    super(message, { code: 'invalid_webhook' });
  }
}
