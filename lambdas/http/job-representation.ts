import { durationText } from '../../src/agent/duration.ts';
import type { JobReading } from '../../src/core/commands/read-job.ts';
import { isFinal, type Job } from '../../src/core/job/job.ts';
import { QUEUED_DUE_MS } from '../../src/core/policy/limits.ts';
import type { JobRepresentation } from '../../src/protocol/job.ts';
import { instant, jobErrorRepresentation } from './error-representation.ts';

/** A job as its readers see it. */
export function jobRepresentation(
  { job, progress, resultJson, resultUrl }: JobReading,
  { pathOf, resultUrlExpiresAt }: { readonly pathOf: PathOf; readonly resultUrlExpiresAt: number },
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
    ...(job.paused === true && { paused: true }),
    ...(job.cancelRequestedAt !== undefined && {
      cancelRequestedAt: instant(job.cancelRequestedAt),
    }),
    ...originOf(job),
    ...annotationsOf(job),
    ...limitsOf(job),
    createdAt: instant(job.createdAt),
    ...startOf(job),
    updatedAt: instant(job.updatedAt),
    ...(job.startedAt !== undefined && { startedAt: instant(job.startedAt) }),
    ...(job.restartedAt !== undefined && { restartedAt: instant(job.restartedAt) }),
    ...(job.finishedAt !== undefined && { finishedAt: instant(job.finishedAt) }),
    attempts: job.epoch,
    generation: job.generation,
    ...hintCountOf(job),
    links: links(job, pathOf),
  };
}

/** A job in the moment it was accepted: the same for the first answer and for every replay of it. */
export function acceptedJob(job: AcceptedJob, pathOf: PathOf): JobRepresentation {
  const createdAt = instant(job.createdAt);
  return {
    jobId: job.jobId,
    agent: job.agent,
    ...(job.startAt === undefined
      ? {
          status: 'queued',
          waitingFor: { reason: 'worker', until: instant(job.createdAt + QUEUED_DUE_MS) },
        }
      : { status: 'waiting', waitingFor: { reason: 'start', until: instant(job.startAt) } }),
    ...originOf(job),
    ...annotationsOf(job),
    ...limitsOf(job),
    createdAt,
    ...startOf(job),
    updatedAt: createdAt,
    attempts: 0,
    generation: 1,
    ...hintCountOf(job),
    links: links(job, pathOf),
  };
}

export type AcceptedJob = Pick<
  Job,
  | 'jobId'
  | 'agent'
  | 'createdAt'
  | 'startAt'
  | 'limits'
  | 'metadata'
  | 'tags'
  | 'notify'
  | 'forkOf'
  | 'hints'
>;

/** Path of a job by its id, as the caller of this request reaches it. */
export type PathOf = (jobId: string) => string;

function originOf({ parentId, forkOf }: Pick<Job, 'parentId' | 'forkOf'>) {
  return { ...(parentId !== undefined && { parentId }), ...(forkOf !== undefined && { forkOf }) };
}

function annotationsOf({ metadata, tags, notify }: Pick<Job, 'metadata' | 'tags' | 'notify'>) {
  return {
    ...(metadata !== undefined && { metadata: { ...metadata } }),
    ...(tags !== undefined && { tags: [...tags] }),
    ...(notify !== undefined && { notify: notifyOf(notify) }),
  };
}

function notifyOf({ url, events }: NonNullable<Job['notify']>): JobRepresentation['notify'] {
  return { url, ...(events !== undefined && { events: [...events] }) };
}

function limitsOf({ limits }: Pick<Job, 'limits'>): Pick<JobRepresentation, 'limits'> {
  if (limits === undefined) return {};
  const { maxSteps, maxDurationMs } = limits;
  return {
    limits: {
      ...(maxSteps !== undefined && { maxSteps }),
      ...(maxDurationMs !== undefined && { maxDuration: durationText(maxDurationMs) }),
    },
  };
}

function startOf({ startAt }: Pick<Job, 'startAt'>): Pick<JobRepresentation, 'startAt'> {
  return startAt === undefined ? {} : { startAt: instant(startAt) };
}

function hintCountOf({ hints = [] }: Pick<Job, 'hints'>) {
  return hints.length === 0 ? {} : { hintCount: hints.length };
}

/** Seconds a reader had best wait before it asks again; `undefined` once the job has ended. */
export function retryAfterSeconds(job: Job, now: number): number | undefined {
  if (isFinal(job.status)) return undefined;
  if (job.paused === true && job.status !== 'running') return 5;
  if (job.status !== 'waiting') return 1;
  const untilWake = job.wakeAt === undefined ? 5 : Math.ceil((job.wakeAt - now) / 1000);
  // A signal or a cancel may end the wait early, so never send a reader away for long.
  return Math.min(Math.max(untilWake, 1), 30);
}

function waitingFor(job: Job): JobRepresentation['waitingFor'] {
  if (job.status !== 'queued' && job.status !== 'waiting') return undefined;
  if (job.paused === true) return { reason: 'paused', ...until(job.deadlineAt) };
  if (job.status === 'queued') return { reason: 'worker', ...until(job.dueAt) };
  const name = job.waitingOn === undefined ? {} : { name: job.waitingOn };
  return { reason: job.waitingFor ?? 'unknown', ...name, ...until(job.wakeAt ?? job.deadlineAt) };
}

function until(at: number | undefined): { until?: string } {
  return at === undefined ? {} : { until: instant(at) };
}

function links(
  { jobId, parentId, forkOf }: Pick<Job, 'jobId' | 'parentId' | 'forkOf'>,
  pathOf: PathOf,
): JobRepresentation['links'] {
  const self = pathOf(jobId);
  return {
    self,
    trace: `${self}/trace`,
    events: `${self}/events`,
    ...(parentId !== undefined && { parent: pathOf(parentId) }),
    ...(forkOf !== undefined && { forkOf: pathOf(forkOf) }),
  };
}
