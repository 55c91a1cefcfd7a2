import { type Duration, durationMs } from '../../src/agent/duration.ts';
import type { Submission } from '../../src/core/commands/check-submission.ts';
import { hasCode } from '../../src/errors.ts';
import type { SubmitRequest } from '../../src/protocol/submit-request.ts';
import type { Caller } from './caller.ts';
import { checkedNotify, type WebhookRules } from './checked-notify.ts';
import { faultyRequest } from './faults.ts';

export interface SubmissionParts {
  readonly idempotencyKey?: string | undefined;
  readonly webhooks: WebhookRules;
}

/**
 * What a caller asks for with one body.
 * @throws RequestRefused `invalid_request` for a `notify` that nothing would ever be sent to, or a duration that no job can take
 */
export function submissionOf(
  { tenantId, rules }: Caller,
  body: SubmitRequest,
  { idempotencyKey, webhooks }: SubmissionParts,
): Submission {
  const { agent, input, inputRef, metadata, tags, notify } = body;
  const { allowedAgents, hasEndpoints, limits: tenantLimits } = rules;
  return {
    tenantId,
    agent,
    ...(inputRef === undefined ? { input } : inputRef),
    ...(metadata !== undefined && { metadata }),
    ...(tags !== undefined && { tags }),
    ...(notify !== undefined && { notify: checkedNotify(notify, webhooks) }),
    ...limitsOf(body),
    ...startOf(body),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(hasEndpoints === true && { notifyTenant: true }),
    ...(allowedAgents !== undefined && { allowedAgents }),
    tenantLimits,
  };
}

function limitsOf({ limits }: SubmitRequest): Pick<Submission, 'limits'> {
  if (limits === undefined) return {};
  const { maxSteps, maxDuration } = limits;
  return {
    limits: {
      ...(maxSteps !== undefined && { maxSteps }),
      ...(maxDuration !== undefined && {
        maxDurationMs: milliseconds(maxDuration, ['limits', 'maxDuration']),
      }),
    },
  };
}

function startOf({ delay, startAt }: SubmitRequest): Pick<Submission, 'start'> {
  if (delay !== undefined) return { start: { delayMs: milliseconds(delay, ['delay']) } };
  return startAt === undefined ? {} : { start: { at: Date.parse(startAt) } };
}

function milliseconds(text: string, path: readonly string[]): number {
  try {
    return durationMs(text as Duration);
  } catch (error) {
    if (!hasCode(error, 'invalid_duration')) throw error;
    throw faultyRequest('invalid_request', [{ path, message: error.message }]);
  }
}
