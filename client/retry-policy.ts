import type { Delay } from './delay.ts';
import { LonghaulError } from './errors.ts';

/** How patiently requests are sent again after a network error, 429, 5xx, or 409 `idempotency_in_progress`. */
export interface RetryOptions {
  /** Tries of one request in all; 1 sends nothing again. @default 6 */
  readonly tries?: number;
  /** Upper bound of the first pause; each further one is twice as long, with full jitter. @default 250 */
  readonly baseDelayMs?: number;
  /** Upper bound of any pause. A `Retry-After` beyond it ends the tries. @default 30000 */
  readonly maxDelayMs?: number;
}

export type RetryPolicy = Required<RetryOptions>;

export const DEFAULT_RETRY: RetryPolicy = { tries: 6, baseDelayMs: 250, maxDelayMs: 30_000 };

/** How long to pause before the next try; undefined: there is none. `tries` have been made. */
export function pauseBeforeRetry(
  error: unknown,
  tries: number,
  { policy, random }: { readonly policy: RetryPolicy; readonly random: () => number },
): number | undefined {
  if (!(error instanceof LonghaulError) || !error.retryable || tries >= policy.tries) return;
  const backoffMs = random() * Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (tries - 1));
  const { retryAfterMs } = error;
  if (retryAfterMs === undefined) return backoffMs;
  // Not all that were told the same instant come back at it.
  if (retryAfterMs <= policy.maxDelayMs) return retryAfterMs + random() * policy.baseDelayMs;
  return undefined;
}

export interface Retrying {
  readonly policy: RetryPolicy;
  readonly random: () => number;
  readonly delay: Delay;
  readonly signal?: AbortSignal | undefined;
}

/** Calls until it succeeds, fails for good, or the policy has no try left. */
export async function withRetries<T>(call: () => Promise<T>, retrying: Retrying): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      const pauseMs = pauseBeforeRetry(error, tries, retrying);
      if (pauseMs === undefined) throw error;
      await retrying.delay(pauseMs, retrying.signal);
    }
  }
}
