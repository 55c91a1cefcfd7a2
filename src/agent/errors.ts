import { AppError } from '../errors.ts';
import { type Duration, durationMs } from './duration.ts';

/** Thrown by a step to say that trying again is useless: the step fails at once, whatever tries are left. */
export class TerminalError extends AppError {
  constructor(
    message: string,
    options: { cause?: unknown; details?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message, { code: 'terminal_error', retryable: false, ...options });
    this.name = 'TerminalError';
  }
}

/** Thrown by a step to ask for another try, after `retryAfter` when the other side said when. */
export class RetryableError extends AppError {
  /** Delay before the next try in milliseconds; undefined means the step's own backoff. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    options: {
      retryAfter?: Duration;
      cause?: unknown;
      details?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    const { retryAfter, ...rest } = options;
    super(message, { code: 'retryable_error', retryable: true, ...rest });
    this.name = 'RetryableError';
    this.retryAfterMs = retryAfter === undefined ? undefined : durationMs(retryAfter);
  }
}
