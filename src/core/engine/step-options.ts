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

/**
 * Options of a step with their defaults.
 * @throws AppError `invalid_option`, `invalid_duration`, or `step_timeout_too_long` when no slice could give that time.
 */
export function resolveStepOptions(
  stepId: string,
  options: StepOptions,
  sliceMs: number,
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
    timeoutMs: stepTimeoutMs(stepId, options.timeout, sliceMs),
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

function stepTimeoutMs(stepId: string, timeout: Duration | undefined, sliceMs: number): number {
  // The default gives way to a short slice; what an author asks for does not.
  // At half a slice, two steps still find room in one.
  if (timeout === undefined) return Math.min(60_000, Math.ceil(sliceMs / 2));
  const timeoutMs = durationMs(timeout);
  if (timeoutMs > 0 && timeoutMs <= sliceMs) return timeoutMs;
  throw new AppError(
    `step ${JSON.stringify(stepId)} has the timeout ${timeout}: a time slice gives more than 0 and at most ${sliceMs} ms; ` +
      'split the step, or raise worker.timeoutSeconds in the configuration',
    { code: 'step_timeout_too_long', details: { timeoutMs, limitMs: sliceMs } },
  );
}
