/**
 * Every stable error code of Longhaul. Codes are part of the public contract: callers branch on them, tests assert
 * them, prose may change. Request codes end a request, job codes end a job, step codes end a step.
 */
export type ErrorCode = RequestErrorCode | JobErrorCode | StepErrorCode | 'internal_error';

export type RequestErrorCode =
  | 'malformed_json'
  | 'invalid_request'
  | 'invalid_cursor'
  | 'unknown_agent'
  | 'invalid_input'
  | 'invalid_limits'
  | 'invalid_schedule'
  | 'too_many_schedules'
  | 'upload_missing'
  | 'upload_mismatch'
  | 'unknown_step'
  | 'invalid_idempotency_key'
  | 'idempotency_key_reused'
  | 'idempotency_in_progress'
  | 'payload_too_large'
  | 'unauthorized'
  | 'insufficient_scope'
  | 'agent_not_allowed'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'throttled'
  | 'unavailable';

export type JobErrorCode =
  | 'attempts_exhausted'
  | 'duration_exceeded'
  | 'steps_exceeded'
  | 'hops_exceeded'
  | 'journal_too_large'
  | 'agent_missing'
  | 'clean_up_exceeded'
  | 'agent_failed'
  | 'result_invalid'
  | 'payload_too_large'
  | 'step_failed'
  | 'cancelled';

export type StepErrorCode =
  | 'step_timeout'
  | 'step_id_reused'
  | 'step_nested'
  | 'step_after_end'
  | 'step_timeout_too_long'
  | 'signal_timeout'
  | 'unknown_child_agent'
  | 'invalid_child_input'
  | 'children_exceeded'
  | 'child_failed'
  | 'invalid_step_id'
  | 'invalid_duration'
  | 'invalid_option'
  | 'not_serializable'
  | 'payload_too_large'
  | 'terminal_error'
  | 'retryable_error';

export interface AppErrorOptions {
  readonly code: ErrorCode;
  /** Whether the same call may succeed later. Default false. */
  readonly retryable?: boolean;
  /** Facts a program may read: the value got, the limit, what to do. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** Base of every error Longhaul throws on purpose. Branch on `code`, never on the message. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, options: AppErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = options.code;
    this.retryable = options.retryable ?? false;
    this.details = options.details ?? {};
  }
}

/** Whether a value is an error with one of the given codes; works across realms, where `instanceof` does not. */
export function hasCode(error: unknown, ...codes: readonly ErrorCode[]): error is AppError {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' && (codes as readonly string[]).includes(code);
}
