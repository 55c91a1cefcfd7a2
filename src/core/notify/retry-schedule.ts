/** When a delivery that failed is tried again. */
export interface RetryPolicy {
  /** Ceiling of the pause after the first failed try. */
  readonly firstRetryMs: number;
  /** How long a delivery is tried at all. */
  readonly giveUpAfterMs: number;
}

const FACTOR = 3;
/** Longest ceiling of a pause. With 5 s, 15 s, 45 s, … before it there are some twenty tries in three days. */
const LONGEST_PAUSE_MS = 8 * 3_600_000;
/** What a receiver may ask for; longer would be a way to keep a delivery for ever. */
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000;

export interface FailedTry {
  readonly at: number;
  /** 1 for the first. */
  readonly failedTries: number;
  readonly triedSince: number;
  /** What the receiver asked for. */
  readonly retryAfterMs?: number;
}

/**
 * The instant of the next try, undefined when there is none: exponential pauses with full jitter, so that a receiver which
 * comes back is not met by all at once, and never before the receiver's `Retry-After`.
 */
export function nextTryAt(
  policy: RetryPolicy,
  failed: FailedTry,
  random: number,
): number | undefined {
  const { at, failedTries, triedSince, retryAfterMs = 0 } = failed;
  const growth = FACTOR ** Math.min(failedTries - 1, 20);
  const ceiling = Math.min(LONGEST_PAUSE_MS, policy.firstRetryMs * growth);
  const pauseMs = Math.max(
    Math.floor(random * ceiling),
    Math.min(Math.max(0, retryAfterMs), LONGEST_RETRY_AFTER_MS),
  );
  const next = at + pauseMs;
  return next - triedSince > policy.giveUpAfterMs ? undefined : next;
}
