import type { Submission } from '../../src/core/commands/check-submission.ts';
import type { SubmitRequest } from '../../src/protocol/submit-request.ts';
import type { Caller } from './caller.ts';
import { checkedNotify, type WebhookRules } from './checked-notify.ts';

export interface SubmissionParts {
  readonly idempotencyKey?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly webhooks: WebhookRules;
}

/**
 * What a caller asks for with one body.
 * @throws RequestRefused `invalid_request` for a `notify` that nothing would ever be sent to
 */
export function submissionOf(
  { tenantId, rules }: Caller,
  body: SubmitRequest,
  { idempotencyKey, traceparent, webhooks }: SubmissionParts,
): Submission {
  const { agent, input, inputRef, metadata, tags, notify } = body;
  const { allowedAgents, hasEndpoints } = rules;
  return {
    tenantId,
    agent,
    ...(inputRef === undefined ? { input } : inputRef),
    ...(metadata !== undefined && { metadata }),
    ...(tags !== undefined && { tags }),
    ...(notify !== undefined && { notify: checkedNotify(notify, webhooks) }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(traceparent !== undefined && { traceparent }),
    ...(hasEndpoints === true && { notifyTenant: true }),
    ...(allowedAgents !== undefined && { allowedAgents }),
  };
}
