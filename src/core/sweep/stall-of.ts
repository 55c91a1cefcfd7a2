import { isFinal, type Job, type WaitReason } from '../job/job.ts';
import { isOverdue } from './is-overdue.ts';

export type StallKind =
  /** Something that should have happened by itself has not. */
  | 'overdue'
  /** Its agent cannot run here: it waits for a deploy. */
  | 'agent_unavailable'
  | 'paused'
  /** It waits as it is meant to, but for long. */
  | 'waiting';

/** Why a job does not go on. */
export interface Stall {
  readonly kind: StallKind;
  /** In words, without a full stop. */
  readonly reason: string;
  /** Since when it is so. */
  readonly since: number;
  /** When it goes on or ends by itself; absent: nobody knows. */
  readonly until?: number;
}

const instant = (at: number): string => new Date(at).toISOString();

/** Why a job stands still, if it does: it is overdue, or waits longer than `longMs`. */
export function stallOf(job: Job, now: number, longMs: number): Stall | undefined {
  if (isFinal(job.status)) return owing(job, now);
  if (isOverdue(job, now)) return overdue(job);
  if (job.status === 'running') return undefined;
  const { waitingFor } = job;
  if (waitingFor === 'agent_missing' || waitingFor === 'agent_refused') {
    return unavailable(job, waitingFor);
  }
  if (now - job.updatedAt <= longMs) return undefined;
  if (job.paused === true) return paused(job);
  return job.status === 'waiting' ? waiting(job) : undefined;
}

function owing(job: Job, now: number): Stall | undefined {
  const { status, duties = [], finishedAt: since = job.updatedAt } = job;
  if (duties.length === 0 || !isOverdue(job, now)) return undefined;
  const owed = duties.map((duty) => DUTIES[duty]).join(', ');
  return {
    kind: 'overdue',
    reason: `${status} since ${instant(since)}, but still to do: ${owed}`,
    since,
  };
}

const DUTIES: Readonly<Record<NonNullable<Job['duties']>[number], string>> = {
  webhook: 'to notify its receivers',
  parent: 'to tell the job that spawned it',
  children: 'to end its sub-jobs',
  deadLetter: 'to send its dead letter',
  event: 'to put its event on the bus',
};

function overdue(job: Job): Stall {
  const { status, updatedAt, deadlineAt, wakeAt = deadlineAt, ownerUntil = updatedAt } = job;
  const late = (since: number, reason: string): Stall => ({ kind: 'overdue', reason, since });
  if (job.paused === true || (status === 'waiting' && wakeAt >= deadlineAt)) {
    return late(deadlineAt, `its time was up at ${instant(deadlineAt)}, and nobody has ended it`);
  }
  if (status === 'waiting') {
    return late(wakeAt, `it should have gone on at ${instant(wakeAt)}, and nobody has woken it`);
  }
  if (status === 'running') {
    const ended = `the invocation that ran it had ended by ${instant(ownerUntil)}`;
    return late(ownerUntil, `${ended}, and nobody has taken it back`);
  }
  return late(updatedAt, `queued since ${instant(updatedAt)}, and no worker has taken it`);
}

function unavailable(job: Job, waitingFor: 'agent_missing' | 'agent_refused'): Stall {
  const agent = JSON.stringify(job.agent);
  const reason =
    waitingFor === 'agent_missing'
      ? `its agent ${agent} is not in this deployment`
      : `this deployment refuses its agent ${agent}: it needs longer time slices`;
  return { kind: 'agent_unavailable', reason, since: job.updatedAt, until: job.deadlineAt };
}

function paused(job: Job): Stall {
  const reason = `paused, at ${instant(job.updatedAt)} or later, and not resumed`;
  return { kind: 'paused', reason, since: job.updatedAt, until: job.deadlineAt };
}

function waiting(job: Job): Stall {
  const { updatedAt: since, deadlineAt } = job;
  const until = Math.min(job.wakeAt ?? deadlineAt, deadlineAt);
  const reason = `${waitOf(job)} since ${instant(since)}, until ${instant(until)} at the latest`;
  return { kind: 'waiting', reason, since, until };
}

function waitOf({ waitingFor, waitingOn }: Job): string {
  if (waitingFor === 'signal' && waitingOn !== undefined) {
    return `waits for the signal ${JSON.stringify(waitingOn)}`;
  }
  return waitingFor === undefined ? 'waits' : WAITS[waitingFor];
}

const WAITS: Readonly<Record<WaitReason, string>> = {
  start: 'waits for its start',
  sleep: 'sleeps',
  signal: 'waits for a signal',
  children: 'waits for its sub-jobs',
  retry: 'waits for the next try of a step',
  rate_limit: 'waits for its rate limit',
  budget: 'waits for its budget',
  ordering: 'waits for the job before it',
  concurrency: 'waits for another job to end',
  paused: 'is paused',
  agent_missing: 'waits for its agent',
  agent_refused: 'waits for its agent',
  effect_unknown: 'waits for somebody to say whether an effect has happened',
};
