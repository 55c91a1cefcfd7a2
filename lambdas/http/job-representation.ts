import type { CheckedSubmission } from '../../src/core/commands/check-submission.ts';
import type { JobReading } from '../../src/core/commands/read-job.ts';
import { isFinal, type Job } from '../../src/core/job/job.ts';
import { QUEUED_DUE_MS } from '../../src/core/policy/limits.ts';
import type { JobRepresentation } from '../../src/protocol/job.ts';
import { instant, jobErrorRepresentation } from './error-representation.ts';

/** A job as its readers see it. */
export function jobRepresentation(
  { job, progress, resultJson, resultUrl }: JobReading,
  { path, resultUrlExpiresAt }: { readonly path: string; readonly resultUrlExpiresAt: number },
): JobRepresentation {
  const waiting = waitingFor(job);
  return {
    jobId: job.jobId,
    agent: job.agent,
    status: job.status,
    ...(waiting !== undefined && { waitingFor: waiting }),
    ...(progress !== undefined && { progress }),
    // Empty text stands for an output that is undefined.
    ...(resultJson !== undefined &&
      resultJson !== '' && { result: JSON.parse(resultJson) as unknown }),
    ...(resultUrl !== undefined && {
      resultUrl,
      resultUrlExpiresAt: instant(resultUrlExpiresAt),
    }),
    ...(job.error !== undefined && { error: jobErrorRepresentation(job.error) }),
    ...(job.deadLettered === true && { deadLettered: true }),
    ...(job.metadata !== undefined && { metadata: job.metadata }),
    ...(job.tags !== undefined && { tags: [...job.tags] }),
    createdAt: instant(job.createdAt),
    updatedAt: instant(job.updatedAt),
    ...(job.startedAt !== undefined && { startedAt: instant(job.startedAt) }),
    ...(job.finishedAt !== undefined && { finishedAt: instant(job.finishedAt) }),
    attempts: job.epoch,
    links: links(path),
  };
}

/** A job in the moment it was accepted: the same for the first answer and for every replay of it. */
export function acceptedJob(
  { agent, metadata, tags }: CheckedSubmission,
  at: { readonly jobId: string; readonly createdAt: number; readonly path: string },
): JobRepresentation {
  return {
    jobId: at.jobId,
    agent,
    status: 'queued',
    waitingFor: { reason: 'worker', until: instant(at.createdAt + QUEUED_DUE_MS) },
    ...(metadata !== undefined && { metadata }),
    ...(tags !== undefined && { tags: [...tags] }),
    createdAt: instant(at.createdAt),
    updatedAt: instant(at.createdAt),
    attempts: 0,
    links: links(at.path),
  };
}

/** Seconds a reader had best wait before it asks again; `undefined` once the job has ended. */
export function retryAfterSeconds(job: Job, now: number): number | undefined {
  if (isFinal(job.status)) return undefined;
  if (job.status !== 'waiting') return 1;
  const untilWake = job.wakeAt === undefined ? 5 : Math.ceil((job.wakeAt - now) / 1000);
  // A signal or a cancel may end the wait early, so never send a reader away for long.
  return Math.min(Math.max(untilWake, 1), 30);
}

function waitingFor(job: Job): JobRepresentation['waitingFor'] {
  if (job.status === 'queued') {
    return { reason: job.paused === true ? 'paused' : 'worker', ...until(job.dueAt) };
  }
  if (job.status !== 'waiting') return undefined;
  return { reason: job.waitingFor ?? 'unknown', ...until(job.wakeAt ?? job.deadlineAt) };
}

function until(at: number | undefined): { until?: string } {
  return at === undefined ? {} : { until: instant(at) };
}

function links(path: string): JobRepresentation['links'] {
  return { self: path, trace: `${path}/trace` };
}
