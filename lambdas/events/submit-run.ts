import { type CheckDeps, checkSubmission } from '../../src/core/commands/check-submission.ts';
import { submitJob, type SubmitDeps } from '../../src/core/commands/submit-job.ts';
import type { TenantStore } from '../../src/core/ports/tenant-store.ts';
import type { DueRun } from '../../src/core/schedules/fire-schedule.ts';
import type { ScheduleRun } from '../../src/core/schedules/schedule.ts';
import { RUN_METADATA } from '../../src/protocol/schedule.ts';
import { submitRequestSchema } from '../../src/protocol/submit-request.ts';
import { checkedBody } from '../http/checked-body.ts';
import type { WebhookRules } from '../http/checked-notify.ts';
import { RequestRefused } from '../http/request-refused.ts';
import { keyReused } from '../http/run-with-key.ts';
import { submissionOf } from '../http/submission-of.ts';
import { submissionRefused } from '../http/submission-refusals.ts';
import { rulesContext, rulesOf } from '../http/tenant-rules.ts';

export type SubmitRunDeps = CheckDeps &
  SubmitDeps & {
    readonly tenants: Pick<TenantStore, 'find'>;
    readonly webhooks: WebhookRules;
  };

type Outcome = Pick<ScheduleRun, 'jobId' | 'problem'>;

/** Submits a run as `POST /jobs` would, by the settings that its tenant has now; what would be refused there is refused here. */
export async function submitRun(deps: SubmitRunDeps, run: DueRun): Promise<Outcome> {
  try {
    return { jobId: await submitted(deps, run) };
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error;
    const [fault] = error.facts.errors ?? [];
    const where = fault === undefined ? '' : `: ${fault.pointer ?? ''} ${fault.message}`;
    return { problem: { code: error.code, detail: `${error.message}${where}` } };
  }
}

async function submitted(deps: SubmitRunDeps, run: DueRun): Promise<string> {
  const { tenantId, idempotencyKey, job } = run;
  const metadata = { ...metadataOf(run), ...job.metadata };
  const body = checkedBody(submitRequestSchema, { ...job, metadata });
  const settings = await deps.tenants.find(tenantId);
  // Requests are counted where they come in, and a run is none.
  const rules = rulesOf(rulesContext(settings, { requestsPerSecond: 0 }));
  const submission = submissionOf({ tenantId, rules, scopes: [] }, body, {
    idempotencyKey,
    webhooks: deps.webhooks,
  });
  const check = await checkSubmission(deps, submission);
  if (!check.valid) throw submissionRefused(check, job.agent);
  const result = await submitJob(deps, check.submission);
  if (!result.accepted) throw keyReused();
  return result.jobId;
}

function metadataOf({ name, scheduledAt }: DueRun): Record<string, string> {
  return {
    [RUN_METADATA.schedule]: name,
    [RUN_METADATA.scheduledAt]: new Date(scheduledAt).toISOString(),
  };
}
