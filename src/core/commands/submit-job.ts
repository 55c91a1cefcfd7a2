import { sizeBytes } from '../engine/json-value.ts';
import { hintOf } from '../engine/send-hint.ts';
import type { Job } from '../job/job.ts';
import { newJobId } from '../job/job-id.ts';
import { inputKey } from '../job/payload-keys.ts';
import type { StoredValue } from '../job/stored-value.ts';
import { LIMITS, QUEUED_DUE_MS } from '../policy/limits.ts';
import { type PublishDeps, publishOnTheWay } from '../notify/publish-change.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { JobStore } from '../ports/job-store.ts';
import type { PayloadStore } from '../ports/payload-store.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { CheckedSubmission } from './check-submission.ts';

export interface SubmitDeps extends Pick<PublishDeps, 'events'> {
  readonly jobs: Pick<JobStore, 'createJob'>;
  readonly payloads: Pick<PayloadStore, 'put' | 'copy'>;
  readonly queue: Pick<JobQueue, 'send'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: IdSource;
  readonly telemetry: Telemetry;
  /** Days a job is kept after its deadline. */
  readonly retentionDays: number;
}

export type SubmitResult =
  | {
      readonly accepted: true;
      readonly jobId: string;
      readonly createdAt: number;
      /** An earlier request with the same key had made the job. */
      readonly existed: boolean;
    }
  | { readonly accepted: false; readonly code: 'idempotency_key_reused' };

const DAY_SECONDS = 86_400;

/**
 * Makes the job: large input, then the job if it is absent, then a hint to the workers. A crash between any two of them
 * is made good by the same submission again, or by the sweeper: once the job is stored, it will be done.
 */
export async function submitJob(
  deps: SubmitDeps,
  submission: CheckedSubmission,
): Promise<SubmitResult> {
  const { tenantId, idempotencyKey, fingerprint, inputJson, child } = submission;
  if (submission.existing !== undefined) return madeBefore(deps, submission.existing);
  const jobId = child?.jobId ?? newJobId(deps.ids, tenantId, idempotencyKey);
  const input = await placeInput(deps, jobId, submission);
  const job = newJob(submission, { jobId, input, now: deps.clock.now(), deps });

  const stored = await deps.jobs.createJob(job, input.kind === 'item' ? inputJson : undefined);
  if (stored.created) {
    await Promise.all([sendHint(deps, job), publishOnTheWay(deps, job, 'submitted')]);
    deps.telemetry.count('JobsSubmitted', 1, { agent: job.agent });
    return { accepted: true, jobId, createdAt: job.createdAt, existed: false };
  }
  const { existing } = stored;
  if (existing.fingerprint !== fingerprint || existing.tenantId !== tenantId) {
    return { accepted: false, code: 'idempotency_key_reused' };
  }
  // The same instant: this very request made it, and the answer to its write was lost on the way.
  const existed = existing.createdAt !== job.createdAt;
  return { ...(await madeBefore(deps, existing)), existed };
}

async function madeBefore(
  deps: SubmitDeps,
  existing: Job,
): Promise<SubmitResult & { readonly accepted: true }> {
  // Whoever made it may have died before the hint; in any other status somebody has looked at the job already.
  if (existing.status === 'queued') await sendHint(deps, existing);
  const { jobId, createdAt } = existing;
  return { accepted: true, jobId, createdAt, existed: true };
}

/** How long a job of this agent and its idempotency key are kept. */
export function lifetimeSeconds(submission: CheckedSubmission, retentionDays: number): number {
  const { maxDurationMs } = submission.definition.limits;
  return Math.ceil(maxDurationMs / 1000) + retentionDays * DAY_SECONDS;
}

async function placeInput(
  deps: SubmitDeps,
  jobId: string,
  submission: CheckedSubmission,
): Promise<StoredValue> {
  const { tenantId, metadata, tags, fingerprint, inputJson, upload } = submission;
  const bytes = upload?.sizeBytes ?? sizeBytes(inputJson);
  // Input, metadata and tags share the room of the job item.
  const annotations = [metadata, tags].filter((part) => part !== undefined);
  const taken = annotations.reduce((sum, part) => sum + sizeBytes(JSON.stringify(part)), 0);
  if (bytes + taken <= LIMITS.inlineInJobBytes) return { kind: 'inline', json: inputJson };
  if (bytes <= LIMITS.inlineBytes) return { kind: 'item', sizeBytes: bytes };
  const key = inputKey({ tenantId, jobId, fingerprint });
  // A copy lives as long as the job, an upload only for days.
  const ref = await (upload === undefined
    ? deps.payloads.put(key, inputJson)
    : deps.payloads.copy(upload, key));
  return { kind: 's3', ...ref };
}

function newJob(
  submission: CheckedSubmission,
  at: { jobId: string; input: StoredValue; now: number; deps: SubmitDeps },
): Job {
  const { tenantId, agent, fingerprint, metadata, tags, notify, traceparent, child } = submission;
  const { jobId, input, now, deps } = at;
  return {
    jobId,
    tenantId,
    agent,
    status: 'queued',
    generation: 1,
    epoch: 0,
    wakeups: 0,
    crashes: 0,
    dueAt: now + QUEUED_DUE_MS,
    deadlineAt: Math.min(
      now + submission.definition.limits.maxDurationMs,
      child?.deadlineAt ?? Infinity,
    ),
    createdAt: now,
    updatedAt: now,
    fingerprint,
    input,
    ...(metadata !== undefined && { metadata }),
    ...(tags !== undefined && { tags }),
    ...(notify !== undefined && { notify }),
    ...(submission.notifyTenant === true && { notifyTenant: true as const }),
    ...(traceparent !== undefined && { traceparent }),
    ...(child !== undefined && { parentId: child.parentId, depth: child.depth }),
    expiresAtSeconds:
      child?.expiresAtSeconds ??
      Math.floor(now / 1000) + lifetimeSeconds(submission, deps.retentionDays),
  };
}

async function sendHint(deps: SubmitDeps, job: Job): Promise<void> {
  const { jobId, tenantId } = job;
  try {
    await deps.queue.send(hintOf(job, 'submitted'));
  } catch (error) {
    // The job is stored and overdue in 30 s: the sweeper sends the hint, so accepting it is still true.
    deps.telemetry.log('warn', 'the queue refused the hint: the sweeper will send it', {
      jobId,
      tenantId,
      error,
    });
    deps.telemetry.count('EnqueueFailed');
  }
}
