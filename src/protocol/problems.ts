import type { RequestErrorCode } from '../errors.ts';

/** `code` of a problem. */
export type ProblemCode = RequestErrorCode | 'internal_error';

/** The one place where error codes become HTTP. */
export const PROBLEMS: Readonly<Record<ProblemCode, { status: number; title: string }>> = {
  malformed_json: { status: 400, title: 'The body is not JSON' },
  invalid_request: { status: 400, title: 'The request does not have the expected form' },
  invalid_cursor: { status: 400, title: 'The cursor does not belong to this list' },
  invalid_idempotency_key: { status: 400, title: 'The Idempotency-Key header is not usable' },
  unauthorized: { status: 401, title: 'No valid API key or token' },
  insufficient_scope: { status: 403, title: 'The API key lacks the scope for this' },
  agent_not_allowed: { status: 403, title: 'The tenant may not use this agent' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  conflict: { status: 409, title: 'Not possible in the current status' },
  idempotency_in_progress: {
    status: 409,
    title: 'A request with this Idempotency-Key is being processed',
  },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unknown_agent: { status: 422, title: 'No such agent' },
  invalid_input: { status: 422, title: "The input does not satisfy the agent's schema" },
  upload_missing: { status: 422, title: 'Nothing was uploaded there' },
  upload_mismatch: { status: 422, title: 'Something else was uploaded than announced' },
  invalid_limits: {
    status: 422,
    title: 'The job asks for more than its agent or its tenant allows',
  },
  invalid_schedule: { status: 422, title: 'Nothing could ever run by this schedule' },
  too_many_schedules: {
    status: 409,
    title: 'The tenant has as many schedules as it may have',
  },
  unknown_step: { status: 422, title: 'The job has no such step' },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
  },
  throttled: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Temporarily unavailable' },
};
