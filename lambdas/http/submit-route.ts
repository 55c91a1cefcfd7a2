import { awaitEnd } from '../../src/core/commands/await-job.ts';
import {
  type CheckDeps,
  type CheckedSubmission,
  checkSubmission,
} from '../../src/core/commands/check-submission.ts';
import { termsOf } from '../../src/core/commands/job-terms.ts';
import { type ReadFoundDeps, readFound } from '../../src/core/commands/read-job.ts';
import { type SubmitDeps, submitJob } from '../../src/core/commands/submit-job.ts';
import type { Clock } from '../../src/core/ports/clock.ts';
import type { JobStore } from '../../src/core/ports/job-store.ts';
import type { JobRepresentation } from '../../src/protocol/job.ts';
import { LIMITS, RESULT_URL_SECONDS } from '../../src/protocol/limits.ts';
import { submitRequestSchema } from '../../src/protocol/submit-request.ts';
import { METRICS } from '../../src/settings/names.ts';
import { type AcceptDeps, acceptedBody, type AcceptedJob, acceptJob } from './accept-job.ts';
import { acceptedAnswer, endedAnswer } from './accepted-answer.ts';
import { callerOf, requireScope } from './caller.ts';
import type { WebhookRules } from './checked-notify.ts';
import { checkedBody } from './checked-body.ts';
import type { HttpRequest, Serve } from './http-handler.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { shownJob } from './job-answer.ts';
import { jsonBodyOf } from './json-body.ts';
import { holdUntil, preferenceHeaders, preferencesOf } from './preferences.ts';
import { callerSpanOf, pathsOf } from './request.ts';
import { routeOf } from './route-of.ts';
import { submissionOf } from './submission-of.ts';
import { submissionRefused } from './submission-refusals.ts';

export type SubmitRouteDeps = AcceptDeps &
  SubmitDeps &
  CheckDeps & {
    readonly jobs: Pick<JobStore, 'getJob'> & ReadFoundDeps['jobs'];
    readonly payloads: ReadFoundDeps['payloads'];
    readonly clock: Pick<Clock, 'setTimer'>;
    readonly webhooks: WebhookRules;
  };

const BODY = {
  limitBytes: LIMITS.bodyBytes,
  advice: 'upload the input with POST /uploads, and submit its inputRef',
};

/** `POST /jobs` */
export function submitRoute(deps: SubmitRouteDeps): Serve {
  return async (request) => {
    const { event, context, note } = request;
    const preferences = preferencesOf(event);
    const submission = await checkedSubmission(deps, request);
    const accepted = await acceptJob(deps, submission, {
      remainingMs: context.getRemainingTimeInMillis(),
      callerSpan: callerSpanOf(event),
      make: (checked) => submitJob(deps, checked),
    });
    const { jobId, replayed, traceId } = accepted;
    note({ jobId, agent: submission.agent, traceId, ...(replayed && { replayed }) });
    if (replayed) {
      deps.telemetry.count(METRICS.names.submitsReplayed, 1, { agent: submission.agent });
    }
    const { startAt = 0 } = termsOf(submission, accepted.createdAt);
    const until = holdUntil(preferences, context, deps.clock.now());
    // Before its start there is nothing to wait for.
    const mayEnd = until !== undefined && startAt < until;
    const ended = mayEnd ? await endOf(deps, request, { accepted, until }) : undefined;
    const answer = ended
      ? endedAnswer(ended, replayed)
      : acceptedAnswer(acceptedBody(submission, accepted, pathsOf(event)), replayed);
    return { ...answer, headers: { ...answer.headers, ...preferenceHeaders(preferences) } };
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
  const { webhooks } = deps;
  const submission = submissionOf(caller, body, { idempotencyKey, webhooks });
  const check = await checkSubmission(deps, submission);
  if (check.valid) return check.submission;
  throw submissionRefused(check, body.agent);
}

/** The job, if it ends in time. That it was accepted stays true, whatever fails here. */
async function endOf(
  deps: SubmitRouteDeps,
  request: HttpRequest,
  { accepted, until }: { readonly accepted: AcceptedJob; readonly until: number },
): Promise<JobRepresentation | undefined> {
  const { jobId, replayed } = accepted;
  try {
    const job = await awaitEnd(deps, jobId, { until, atOnce: replayed });
    if (job === undefined) return undefined;
    const now = deps.clock.now();
    return shownJob(await readFound(deps, job, RESULT_URL_SECONDS), request, now).body;
  } catch (error) {
    deps.telemetry.log('warn', 'a job that was waited for could not be read', { jobId, error });
    return undefined;
  }
}
