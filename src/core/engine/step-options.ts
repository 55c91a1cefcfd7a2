import type { StepOptions } from '../../agent/context.ts';
import { type Duration, durationMs } from '../../agent/duration.ts';
import { AppError } from '../../errors.ts';
import { type Backoff, DEFAULT_BACKOFF } from '../policy/backoff.ts';
import { LIMITS } from '../policy/limits.ts';

export interface ResolvedStepOptions {
  readonly retries: number;
  readonly timeoutMs: number;
  readonly backoff: Backoff;
}

/** What bounds the timeout of a step: the slice, and what its agent has declared. */
export interface StepTime {
  readonly sliceMs: number;
  readonly maxStepTimeoutMs?: number;
}

/**
 * Options of a step with their defaults.
 * @throws AppError `invalid_option`, `invalid_duration`, or `step_timeout_too_long` when no slice could give that time, or the
 * agent has declared less.
 */
export function resolveStepOptions(
  stepId: string,
  options: StepOptions,
  time: StepTime,
): ResolvedStepOptions {
  const retries = options.retries ?? 3;
  if (!Number.isInteger(retries) || retries < 0 || retries > LIMITS.maxRetries) {
    throw new AppError(
      `step ${JSON.stringify(stepId)} has retries ${String(retries)}: allowed is a whole number from 0 to ${LIMITS.maxRetries}`,
      { code: 'invalid_option', details: { option: 'retries', value: retries } },
    );
  }
  return {
    retries,
    timeoutMs: stepTimeoutMs(stepId, options.timeout, time),
    backoff: {
      baseMs:
        options.backoff?.base === undefined
          ? DEFAULT_BACKOFF.baseMs
          : durationMs(options.backoff.base),
      maxMs:
        options.backoff?.max === undefined
          ? DEFAULT_BACKOFF.maxMs
          : durationMs(options.backoff.max),
    },
  };
}

function stepTimeoutMs(stepId: string, timeout: Duration | undefined, time: StepTime): number {
  const { sliceMs, maxStepTimeoutMs = sliceMs } = time;
  // The default gives way to a short slice; what an author asks for does not.
  // At half a slice, two steps still find room in one.
  if (timeout === undefined) return Math.min(60_000, Math.ceil(sliceMs / 2), maxStepTimeoutMs);
  const timeoutMs = durationMs(timeout);
  const limitMs = Math.min(sliceMs, maxStepTimeoutMs);
  if (timeoutMs > 0 && timeoutMs <= limitMs) return timeoutMs;
  const allowed =
    maxStepTimeoutMs < sliceMs
      ? `limits.maxStepTimeout of the agent allows more than 0 and at most ${limitMs} ms`
      : `a time slice gives more than 0 and at most ${limitMs} ms; split the step, or raise worker.timeoutSeconds in the configuration`;
  throw new AppError(`step ${JSON.stringify(stepId)} has the timeout ${timeout}: ${allowed}`, {
    code: 'step_timeout_too_long',
    details: { timeoutMs, limitMs },
  });
}
