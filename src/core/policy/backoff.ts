export interface Backoff {
  readonly baseMs: number;
  readonly maxMs: number;
}

export const DEFAULT_BACKOFF: Backoff = { baseMs: 1_000, maxMs: 300_000 };

/**
 * Delay before the next try, with full jitter: uniform below `min(max, base * 2^(failedTries - 1))`. Full jitter spreads
 * a crowd of retries best (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 */
export function backoffDelayMs(failedTries: number, backoff: Backoff, random: number): number {
  const ceiling = Math.min(backoff.maxMs, backoff.baseMs * 2 ** Math.min(failedTries - 1, 30));
  return Math.floor(random * ceiling);
}
