import type { ChildOutcome } from '../job/child-outcome.ts';
import type { Duty, Job, StoredError } from '../job/job.ts';
import type { JournalPage } from '../job/journal.ts';
import type { StoredValue } from '../job/stored-value.ts';
import { dutyDone, noteChild, wake } from '../job/transitions.ts';
import { announceFinal } from '../notify/announce.ts';
import { publishFinal } from '../notify/publish-change.ts';
import type { DeadLetter } from '../ports/job-queue.ts';
import type { PagePosition } from '../ports/job-store.ts';
import { jobFields, withFields } from '../trace/job-telemetry.ts';
import { cancelJob } from './cancel-job.ts';
import type { EngineDeps } from './engine-deps.ts';
import { LIMITS } from '../policy/limits.ts';
import { mapItems } from './map.ts';
import { sendHint } from './send-hint.ts';

export type DutyDeps = Pick<
  EngineDeps,
  | 'jobs'
  | 'queue'
  | 'deadLetters'
  | 'notifications'
  | 'tenantEndpoints'
  | 'events'
  | 'ids'
  | 'clock'
  | 'telemetry'
  | 'usage'
>;

/** Does what a final job still owes, each thing at least once; what fails is left to the sweeper. */
export async function performDuties(given: DutyDeps, finished: Job): Promise<void> {
  const deps = withFields(given, jobFields(finished));
  let job = finished;
  for (const duty of finished.duties ?? []) {
    try {
      await perform(deps, job, duty);
      const after = await strike(deps, job, duty);
      if (after === undefined) return;
      job = after;
    } catch (error) {
      deps.telemetry.log('error', 'a duty of a finished job failed and is left to the sweeper', {
        duty,
        error,
      });
    }
  }
}

/** The job without the duty; undefined when it owes nothing any more. Somebody else may be at its duties, too. */
async function strike(deps: DutyDeps, done: Job, duty: Duty): Promise<Job | undefined> {
  for (let job = done; ;) {
    const { applied, job: now } = await deps.jobs.updateJob(job.jobId, dutyDone(job, duty));
    if (applied) return now;
    if (now?.duties === undefined || now.generation !== done.generation) return undefined;
    if (!now.duties.includes(duty)) return now;
    job = now;
  }
}

async function perform(deps: DutyDeps, job: Job, duty: Duty): Promise<void> {
  switch (duty) {
    case 'deadLetter':
      return sendDeadLetter(deps, job);
    case 'parent':
      return tellParent(deps, job);
    case 'children':
      return cancelChildren(deps, job);
    case 'webhook':
      return announceFinal(deps, job);
    case 'event':
      // Where the bus is gone with a deploy meanwhile, nobody listens any more.
      return publishFinal(deps, job);
  }
}

async function sendDeadLetter(deps: DutyDeps, job: Job): Promise<void> {
  const { jobId, tenantId, agent, generation, error, expiresAtSeconds } = job;
  const failedAt = job.finishedAt ?? job.updatedAt;
  await deps.jobs.putDeadLetter({ jobId, tenantId, generation, failedAt, expiresAtSeconds });
  await deps.deadLetters.send({
    v: 1,
    jobId,
    tenantId,
    agent,
    generation,
    code: error?.code ?? 'internal_error',
    message: error?.message ?? '',
    attempt: error?.attempt ?? job.epoch,
    failedAt: new Date(failedAt).toISOString(),
    ...(error?.step === undefined ? {} : { step: error.step }),
    ...(error?.cause === undefined ? {} : { cause: briefCause(error.cause) }),
  });
  deps.telemetry.count('DeadLetters', 1, { agent });
}

function briefCause({ name, message, code }: StoredError): NonNullable<DeadLetter['cause']> {
  return { name, message, ...(code === undefined ? {} : { code }) };
}

/**
 * Puts the outcome into the parent's partition, then makes the parent look. The counter decides whether it is worth waking
 * it; a repetition, whose count is not known to be right, always wakes it.
 */
async function tellParent(deps: DutyDeps, job: Job): Promise<void> {
  const { parentId } = job;
  if (parentId === undefined) return;
  const stored = await deps.jobs.putChildOutcome(await outcomeOf(deps, job, parentId));
  const isNew = stored === 'stored';
  const { applied, job: parent } = await deps.jobs.updateJob(parentId, noteChild(isNew));
  if (!applied) return;
  if (parent.status === 'running' && parent.owner !== undefined) {
    await deps.jobs.callAttention(parent.owner, parentId);
  }
  if (parent.status !== 'waiting' || (isNew && (parent.joinPending ?? 0) > 0)) return;
  const woken = await deps.jobs.updateJob(parentId, wake(deps.clock.now()));
  if (woken.applied) await sendHint(deps, woken.job, 'woken');
}

async function outcomeOf(deps: DutyDeps, job: Job, parentId: string): Promise<ChildOutcome> {
  const { jobId: childId, status, error, result, expiresAtSeconds } = job;
  return {
    parentId,
    childId,
    status: status as ChildOutcome['status'],
    ...(result === undefined ? {} : { result: await portable(deps, job, result) }),
    ...(error === undefined ? {} : { error }),
    expiresAtSeconds,
  };
}

/** A result in an item of the child's own partition is copied; it is 8 KB at most. */
async function portable(deps: DutyDeps, job: Job, result: StoredValue): Promise<StoredValue> {
  if (result.kind !== 'item') return result;
  const json = await deps.jobs.getResult(job);
  if (json === undefined) throw new Error(`the result item of job ${job.jobId} is missing`);
  return { kind: 'inline', json };
}

/**
 * Sub-jobs that were to end with this job. What each of them owes is the sweeper's, as for any job that is cancelled. The
 * journal is read page by page: all of it may be what killed the job's workers.
 */
async function cancelChildren(deps: DutyDeps, job: Job): Promise<void> {
  const open = new Set<string>();
  let seen: PagePosition = { generation: 1, seq: 0 };
  const note = (pages: readonly JournalPage[]): void => {
    for (const entry of pages.flatMap((page) => page.entries)) {
      if (entry.type === 'child.spawned' && entry.cancelWithParent) open.add(entry.childId);
      if (entry.type === 'child.finished') open.delete(entry.childId);
    }
    seen = pages.at(-1) ?? seen;
  };
  let cursor: PagePosition | undefined;
  do {
    const { pages, next } = await deps.jobs.listPages(job.jobId, cursor);
    note(pages);
    cursor = next;
  } while (cursor !== undefined);
  // That was a read for readers, which may lack the newest pages.
  for (let { generation, seq } = seen; generation <= job.generation; generation++, seq = 0) {
    note(await deps.jobs.readPages({ jobId: job.jobId, generation, afterSeq: seq }));
  }
  const concurrency = LIMITS.spawnsAtOnce;
  await mapItems([...open], { concurrency }, (childId) => cancelChild(deps, childId));
}

async function cancelChild(deps: DutyDeps, childId: string): Promise<void> {
  const child = await deps.jobs.getJob(childId);
  if (child !== undefined) await cancelJob(deps, child);
}
