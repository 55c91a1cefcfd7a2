import type { Submission } from '../../src/core/commands/check-submission.ts';
import type { SubmitRequest } from '../../src/protocol/submit-request.ts';
import type { Caller } from './caller.ts';

/** What a caller asks for with one body. */
export function submissionOf(
  { tenantId, rules }: Caller,
  body: SubmitRequest,
  {
    idempotencyKey,
    traceparent,
  }: { readonly idempotencyKey?: string | undefined; readonly traceparent?: string | undefined },
): Submission {
  const { agent, input, inputRef, metadata, tags } = body;
  const { allowedAgents } = rules;
  return {
    tenantId,
    agent,
    ...(inputRef === undefined ? { input } : inputRef),
    ...(metadata !== undefined && { metadata }),
    ...(tags !== undefined && { tags }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(traceparent !== undefined && { traceparent }),
    ...(allowedAgents !== undefined && { allowedAgents }),
  };
}
