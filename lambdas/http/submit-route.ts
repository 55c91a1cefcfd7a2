import type { RunOnce } from '../../src/adapters/idempotency/powertools-run-once.ts';
import {
  type CheckDeps,
  type CheckedSubmission,
  checkSubmission,
  type Submission,
} from '../../src/core/commands/check-submission.ts';
import { lifetimeSeconds, type SubmitDeps, submitJob } from '../../src/core/commands/submit-job.ts';
import { LIMITS } from '../../src/protocol/limits.ts';
import { submitRequestSchema } from '../../src/protocol/submit-request.ts';
import { METRICS } from '../../src/settings/names.ts';
import { acceptedAnswer } from './accepted-answer.ts';
import { callerOf, requireScope } from './caller.ts';
import { checkedBody } from './checked-body.ts';
import type { HttpRequest, Serve } from './http-handler.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { jsonBodyOf } from './json-body.ts';
import { acceptedJob } from './job-representation.ts';
import { pathsOf, traceparentOf } from './request.ts';
import { routeOf } from './route-of.ts';
import { keyReused, runWithKey } from './run-with-key.ts';
import { submissionRefused } from './submission-refusals.ts';

export type SubmitRouteDeps = SubmitDeps & CheckDeps & { readonly runOnce: RunOnce };

/** What is remembered under a key; the rest of the answer follows from the request, which is the same. */
interface Accepted {
  readonly jobId: string;
  readonly createdAt: number;
}

const BODY = {
  limitBytes: LIMITS.bodyBytes,
  advice: 'upload the input with POST /uploads, and submit its inputRef',
};

/** `POST /jobs` */
export function submitRoute(deps: SubmitRouteDeps): Serve {
  return async (request) => {
    const submission = await checkedSubmission(deps, request);
    const { accepted, replayed } = await accept(deps, submission, request);
    const { jobId } = accepted;
    request.note({ jobId, agent: submission.agent, ...(replayed && { replayed }) });
    if (replayed) {
      deps.telemetry.count(METRICS.names.submitsReplayed, 1, { agent: submission.agent });
    }
    const body = acceptedJob({ ...submission, ...accepted }, pathsOf(request.event));
    return acceptedAnswer(body, replayed);
  };
}

async function checkedSubmission(
  deps: SubmitRouteDeps,
  { event, note }: HttpRequest,
): Promise<CheckedSubmission> {
  const caller = callerOf(event);
  note({ tenantId: caller.tenantId });
  requireScope(caller, routeOf('submitJob'));
  const body = checkedBody(submitRequestSchema, jsonBodyOf(event, BODY));
  const idempotencyKey = idempotencyKeyOf(event);
  const traceparent = traceparentOf(event);
  const { allowedAgents } = caller.rules;
  const submission: Submission = {
    tenantId: caller.tenantId,
    agent: body.agent,
    ...(body.inputRef === undefined ? { input: body.input } : body.inputRef),
    ...(body.metadata !== undefined && { metadata: body.metadata }),
    ...(body.tags !== undefined && { tags: body.tags }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(traceparent !== undefined && { traceparent }),
    ...(allowedAgents !== undefined && { allowedAgents }),
  };
  const check = await checkSubmission(deps, submission);
  if (check.valid) return check.submission;
  throw submissionRefused(check, body.agent);
}

async function accept(
  deps: SubmitRouteDeps,
  submission: CheckedSubmission,
  { context }: HttpRequest,
): Promise<{ accepted: Accepted; replayed: boolean }> {
  const { tenantId, idempotencyKey: key, fingerprint } = submission;
  let existed = false;
  const work = async (): Promise<Accepted> => {
    const result = await submitJob(deps, submission);
    // Thrown, not returned: what is returned would be remembered under the key.
    if (!result.accepted) throw keyReused();
    existed = result.existed;
    return { jobId: result.jobId, createdAt: result.createdAt };
  };
  if (key === undefined) return { accepted: await work(), replayed: false };

  const use = {
    tenantId,
    key,
    fingerprint,
    lifetimeSeconds: lifetimeSeconds(submission, deps.retentionDays),
    remainingMs: context.getRemainingTimeInMillis(),
  };
  const { value: accepted, replayed } = await runWithKey(deps.runOnce, use, work);
  return { accepted, replayed: replayed || existed };
}
