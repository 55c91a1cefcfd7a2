import { sizeBytes } from '../engine/json-value.ts';
import { hintOf, startDelaySeconds } from '../engine/send-hint.ts';
import { isBeforeStart, type Job } from '../job/job.ts';
import { newJobId } from '../job/job-id.ts';
import { inputKey } from '../job/payload-keys.ts';
import type { StoredValue } from '../job/stored-value.ts';
import { durationBound } from '../policy/job-limits.ts';
import { LIMITS, QUEUED_DUE_MS } from '../policy/limits.ts';
import { type PublishDeps, publishOnTheWay } from '../notify/publish-change.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { JobQueue, QueuedHint } from '../ports/job-queue.ts';
import type { JobStore } from '../ports/job-store.ts';
import type { PayloadStore } from '../ports/payload-store.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { CheckedSubmission } from './check-submission.ts';
import { LONGEST_LIFE_MS, termsOf } from './job-terms.ts';
import { noteRefused } from './send-hints.ts';

export interface SubmitDeps extends StoreDeps, Pick<PublishDeps, 'events'> {
  readonly queue: Pick<JobQueue, 'send'>;
}

export interface StoreDeps {
  readonly jobs: Pick<JobStore, 'createJob'>;
  readonly payloads: Pick<PayloadStore, 'put' | 'copy'>;
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

/** What came of a submission, and what is to be told of it. */
export type StoredSubmission = SubmitResult & {
  /** The job, if this is what made it. */
  readonly made?: Job;
  readonly send?: QueuedHint;
};

const DAY_SECONDS = 86_400;

/**
 * Makes the job: large input, then the job if it is absent, then a hint to the workers. A crash between any two of them
 * is made good by the same submission again, or by the sweeper: once the job is stored, it will be done.
 */
export async function submitJob(
  deps: SubmitDeps,
  submission: CheckedSubmission,
): Promise<SubmitResult> {
  const { send, made, ...result } = await storeSubmission(deps, submission);
  await Promise.all([
    send && sendHint(deps, send),
    made && publishOnTheWay(deps, made, 'submitted'),
  ]);
  return result;
}

/** The same without the hint, for who sends many at once. */
export async function storeSubmission(
  deps: StoreDeps,
  submission: CheckedSubmission,
): Promise<StoredSubmission> {
  const { tenantId, idempotencyKey, fingerprint, inputJson, child } = submission;
  if (submission.existing !== undefined) return madeBefore(deps, submission.existing);
  const jobId = child?.jobId ?? newJobId(deps.ids, tenantId, idempotencyKey);
  const input = await placeInput(deps, jobId, submission);
  const job = newJob(submission, { jobId, input, now: deps.clock.now(), deps });

  const stored = await deps.jobs.createJob(job, input.kind === 'item' ? inputJson : undefined);
  if (stored.created) {
    deps.telemetry.count('JobsSubmitted', 1, { agent: job.agent });
    const { createdAt } = job;
    return { accepted: true, jobId, createdAt, existed: false, made: job, ...hintFor(deps, job) };
  }
  const { existing } = stored;
  if (existing.fingerprint !== fingerprint || existing.tenantId !== tenantId) {
    return { accepted: false, code: 'idempotency_key_reused' };
  }
  // The same instant: this very request made it, and the answer to its write was lost on the way.
  const existed = existing.createdAt !== job.createdAt;
  return { ...madeBefore(deps, existing), existed };
}

function madeBefore(
  deps: StoreDeps,
  existing: Job,
): StoredSubmission & { readonly accepted: true } {
  const { jobId, createdAt } = existing;
  return { accepted: true, jobId, createdAt, existed: true, ...hintFor(deps, existing) };
}

/**
 * Whoever made the job may have died before the hint; in any other status somebody has looked at it already. A start that is too
 * far away for the queue is the sweeper's.
 */
function hintFor({ clock }: StoreDeps, job: Job): { readonly send?: QueuedHint } {
  if (job.status !== 'queued' && !isBeforeStart(job)) return {};
  const delaySeconds = isBeforeStart(job) ? startDelaySeconds(job, clock.now()) : 0;
  if (delaySeconds === undefined) return {};
  return { send: { hint: hintOf(job, 'submitted'), delaySeconds } };
}

/**
 * How long a job of this agent and its idempotency key are kept: in whole days where it starts later, since each lifetime keeps
 * a layer of Powertools alive. Never longer than payloads are.
 */
export function lifetimeSeconds(
  submission: CheckedSubmission,
  { retentionDays, now }: { readonly retentionDays: number; readonly now: number },
): number {
  const { maxDurationMs } = submission.definition.limits;
  const { startAt = now } = termsOf(submission, now);
  const delaySeconds = Math.ceil((startAt - now) / (DAY_SECONDS * 1_000)) * DAY_SECONDS;
  const lifeSeconds = Math.ceil(maxDurationMs / 1000) + delaySeconds;
  return Math.min(lifeSeconds, LONGEST_LIFE_MS / 1_000) + retentionDays * DAY_SECONDS;
}

async function placeInput(
  deps: StoreDeps,
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
  at: { jobId: string; input: StoredValue; now: number; deps: StoreDeps },
): Job {
  const { tenantId, agent, fingerprint, metadata, tags, notify, traceparent, child } = submission;
  const { jobId, input, now, deps } = at;
  const terms = termsOf(submission, now);
  const { startAt } = terms;
  const { value: durationMs } = durationBound(terms, submission.definition);
  const ends = (startAt ?? now) + durationMs;
  return {
    jobId,
    tenantId,
    agent,
    ...(startAt === undefined
      ? { status: 'queued', dueAt: now + QUEUED_DUE_MS }
      : { status: 'waiting', waitingFor: 'start', wakeAt: startAt, dueAt: startAt }),
    generation: 1,
    epoch: 0,
    wakeups: 0,
    crashes: 0,
    deadlineAt: Math.min(ends, child?.deadlineAt ?? Infinity),
    createdAt: now,
    updatedAt: now,
    fingerprint,
    input,
    ...terms,
    ...(metadata !== undefined && { metadata }),
    ...(tags !== undefined && { tags }),
    ...(notify !== undefined && { notify }),
    ...(submission.notifyTenant === true && { notifyTenant: true as const }),
    ...(traceparent !== undefined && { traceparent }),
    ...(child !== undefined && { parentId: child.parentId, depth: child.depth }),
    expiresAtSeconds:
      child?.expiresAtSeconds ??
      Math.floor(now / 1000) +
        lifetimeSeconds(submission, { retentionDays: deps.retentionDays, now }),
  };
}

async function sendHint(deps: SubmitDeps, { hint, delaySeconds }: QueuedHint): Promise<void> {
  try {
    await deps.queue.send(hint, { delaySeconds });
  } catch (error) {
    noteRefused(deps.telemetry, { hint, error });
  }
}
