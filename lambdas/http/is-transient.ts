import { hasCode } from '../../src/errors.ts';

interface SdkError {
  readonly $retryable?: object;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly code?: unknown;
  readonly name?: unknown;
  readonly cause?: unknown;
}

const NETWORK_CODES = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN']);
const THROTTLED =
  /Throttl|ProvisionedThroughputExceeded|RequestLimitExceeded|SlowDown|TimeoutError/;

/** Whether a failure is AWS being busy or unreachable, so that the same request may succeed in a moment. */
export function isTransient(error: unknown): boolean {
  // Powertools and our own adapters wrap what the SDK threw.
  for (let at = error, depth = 0; at != null && depth < 5; at = (at as SdkError).cause, depth++) {
    const { $retryable, $metadata, code, name } = at as SdkError;
    if (hasCode(at, 'unavailable')) return true;
    if ($retryable !== undefined || ($metadata?.httpStatusCode ?? 0) >= 500) return true;
    if (typeof code === 'string' && NETWORK_CODES.has(code)) return true;
    if (typeof name === 'string' && THROTTLED.test(name)) return true;
  }
  return false;
}
