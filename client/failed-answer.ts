import type { Problem } from './answers.ts';
import { LonghaulError } from './errors.ts';

/** The error that stands for an answer which is no success. */
export function failedAnswer(response: Response, body: unknown, what: string): LonghaulError {
  const { status, headers } = response;
  const problem = isProblem(body) ? body : undefined;
  const code = problem?.code ?? `http_${status}`;
  const requestId = problem?.requestId ?? headers.get('x-request-id') ?? undefined;
  const retryAfterMs = retryAfterOf(headers.get('retry-after'));
  return new LonghaulError(`${what} was answered ${status}: ${problem?.detail ?? code}`, {
    code,
    status,
    retryable: status === 429 || status >= 500 || code === 'idempotency_in_progress',
    ...(problem !== undefined && { problem }),
    ...(requestId !== undefined && { requestId }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

function isProblem(body: unknown): body is Problem {
  const { code, detail } = (body ?? {}) as { code?: unknown; detail?: unknown };
  return typeof code === 'string' && typeof detail === 'string';
}

/** `Retry-After` is seconds or a date (RFC 9110, 10.2.3). */
export function retryAfterOf(value: string | null, now = Date.now()): number | undefined {
  if (value === null || value.trim() === '') return undefined;
  if (/^\d+$/.test(value.trim())) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
