import { QUEUED_DUE_MS } from '../policy/limits.ts';
import type { Attribute, Condition, JobUpdate } from './item-update.ts';
import {
  type Cut,
  type Duty,
  type FinalStatus,
  isBeforeStart,
  type Job,
  type JobError,
  type Totals,
  type WaitReason,
} from './job.ts';
import type { StoredValue } from './stored-value.ts';

/**
 * Every change of a job item after its creation: the condition under which it may happen and what it writes. The rules
 * are explained in `docs/architecture.md`; adapters only translate them.
 */

/** What a worker knows of the job it holds; the fence of all its writes. */
export interface Hold {
  readonly epoch: number;
  readonly owner: string;
}

const waiting: Condition = { attribute: 'status', is: '=', value: 'waiting' };

const isMine = (hold: Hold): Condition => ({
  all: [
    { attribute: 'status', is: '=', value: 'running' },
    { attribute: 'epoch', is: '=', value: hold.epoch },
    { attribute: 'owner', is: '=', value: hold.owner },
  ],
});

const sawAllWakeups = (wakeups: number): Condition => ({
  attribute: 'wakeups',
  is: '=',
  value: wakeups,
});

/** Cancel and pause are obeyed before a worker lets go of the job. */
const noCommandPending: Condition = {
  all: [
    { attribute: 'cancelRequestedAt', is: 'absent' },
    { attribute: 'paused', is: 'absent' },
  ],
};

/**
 * Takes a job that is ready: queued, or waiting with its time come. A job that has crashed an environment is only taken
 * `alone`, so that it takes no neighbour along. `dueAt` stays as it is: the sweeper re-arms it when it comes by.
 */
export function claim(claimant: {
  owner: string;
  ownerUntil: number;
  now: number;
  alone: boolean;
}): JobUpdate {
  const { owner, ownerUntil, now, alone } = claimant;
  const ready: Condition = {
    any: [
      { attribute: 'status', is: '=', value: 'queued' },
      { all: [waiting, { attribute: 'wakeAt', is: '<=', value: now }] },
      { all: [waiting, { attribute: 'deadlineAt', is: '<=', value: now }] },
    ],
  };
  // A pause does not stop the clock: past its deadline a paused job is taken, to end it.
  const notPaused: Condition = {
    any: [
      { attribute: 'paused', is: 'absent' },
      { attribute: 'deadlineAt', is: '<=', value: now },
    ],
  };
  const conditions: Condition[] = [ready, notPaused];
  if (!alone) conditions.push({ attribute: 'crashes', is: '=', value: 0 });
  return {
    condition: { all: conditions },
    set: { status: 'running', owner, ownerUntil, updatedAt: now },
    setIfAbsent: { startedAt: now },
    add: { epoch: 1 },
    remove: ['waitingFor', 'waitingOn', 'wakeAt'],
  };
}

/** Gives compute back until `wakeAt`, or until something raises `wakeups`. */
export function suspend(
  hold: Hold & { wakeups: number; obeying: boolean },
  wait: {
    reason: WaitReason;
    waitingOn?: string;
    wakeAt?: number;
    joinPending?: number;
    deadlineAt: number;
    now: number;
  },
): JobUpdate {
  const { reason, waitingOn, wakeAt, joinPending, deadlineAt, now } = wait;
  return {
    condition: mayLetGo(hold),
    set: {
      status: 'waiting',
      waitingFor: reason,
      dueAt: Math.min(wakeAt ?? deadlineAt, deadlineAt),
      crashes: 0,
      updatedAt: now,
      ...(waitingOn === undefined ? {} : { waitingOn }),
      ...(wakeAt === undefined ? {} : { wakeAt }),
      ...(joinPending === undefined ? {} : { joinPending }),
    },
    remove: ['owner', 'ownerUntil', ...absent({ wakeAt, joinPending, hops: undefined })],
  };
}

/** Ends a slice: the job goes on by a new message. */
export function continueLater(
  hold: Hold & { wakeups: number; obeying: boolean },
  slice: { now: number; movedOn: boolean },
): JobUpdate {
  const { now, movedOn } = slice;
  return {
    condition: mayLetGo(hold),
    set: { status: 'queued', dueAt: now + QUEUED_DUE_MS, crashes: 0, updatedAt: now },
    remove: movedOn ? ['owner', 'ownerUntil', 'hops'] : ['owner', 'ownerUntil'],
    ...(movedOn ? {} : { add: { hops: 1 } }),
  };
}

/** Whoever is obeying a cancel already lets go in spite of it. */
function mayLetGo(hold: Hold & { wakeups: number; obeying: boolean }): Condition {
  const conditions = [isMine(hold), sawAllWakeups(hold.wakeups)];
  return { all: hold.obeying ? conditions : [...conditions, noCommandPending] };
}

function absent(values: Partial<Record<Attribute, unknown>>): Attribute[] {
  return (Object.keys(values) as Attribute[]).filter((name) => values[name] === undefined);
}

/** A paused job that was claimed all the same: back to `queued`, where the claim refuses it until it is resumed. */
export function returnPaused(hold: Hold, now: number): JobUpdate {
  return {
    condition: { all: [isMine(hold), { attribute: 'paused', is: 'present' }] },
    set: { status: 'queued', dueAt: now + QUEUED_DUE_MS, updatedAt: now },
    remove: ['owner', 'ownerUntil'],
  };
}

/** Crashes in a row, as the journal shows them: none once an attempt has added to it. */
export function countCrashes(hold: Hold, crashes: 0 | 1): JobUpdate {
  return { condition: isMine(hold), set: { crashes } };
}

/** What only an unfinished job has. */
const HELD_ATTRIBUTES = [
  'owner',
  'ownerUntil',
  'wakeAt',
  'waitingFor',
  'waitingOn',
  'joinPending',
  'hops',
  'paused',
] as const;

export interface Ending {
  readonly status: FinalStatus;
  readonly result?: StoredValue;
  readonly error?: JobError;
  readonly totals: Totals;
  readonly duties: readonly Duty[];
  readonly agentVersion?: string;
  readonly now: number;
}

/** The final write of a job. Success wins over a cancel that the worker has not learnt of. */
export function finish(hold: Hold, ending: Ending): JobUpdate {
  const { status, result, error, totals, duties, agentVersion, now } = ending;
  const owes = duties.length > 0;
  return {
    condition: isMine(hold),
    set: {
      status,
      totals,
      finishedAt: now,
      updatedAt: now,
      ...(result === undefined ? {} : { result }),
      ...(error === undefined ? {} : { error }),
      ...(agentVersion === undefined ? {} : { agentVersion }),
      ...(duties.includes('deadLetter') ? { deadLettered: true } : {}),
      ...(owes ? { duties, dueAt: now + QUEUED_DUE_MS } : {}),
    },
    remove: owes ? [...HELD_ATTRIBUTES] : [...HELD_ATTRIBUTES, 'dueAt'],
  };
}

/**
 * One duty of a final job is done; the last one takes the job out of the due index. Two may do the duties of a job at once:
 * by `dueAt`, which is gone once all are done, the slower one cannot bring back what nobody would look at again.
 */
export function dutyDone(job: Job, duty: Duty): JobUpdate {
  const left = (job.duties ?? []).filter((open) => open !== duty);
  return {
    condition: {
      all: [
        { attribute: 'status', is: '=', value: job.status },
        { attribute: 'generation', is: '=', value: job.generation },
        { attribute: 'dueAt', is: '=', value: job.dueAt ?? 0 },
      ],
    },
    ...(left.length > 0 ? { set: { duties: left } } : { remove: ['duties', 'dueAt'] }),
  };
}

/** Takes a job back from an invocation that is dead, or cannot go on with it; its next attempt runs alone. */
export function reclaim(owner: string, now: number): JobUpdate {
  return {
    condition: {
      all: [
        { attribute: 'status', is: '=', value: 'running' },
        { attribute: 'owner', is: '=', value: owner },
      ],
    },
    set: { status: 'queued', dueAt: now + QUEUED_DUE_MS, updatedAt: now },
    add: { crashes: 1 },
    remove: ['owner', 'ownerUntil'],
  };
}

/** Moves `dueAt` if it still is what was read: keeps two sweepers from acting on one find. */
export function rearm(job: Job, dueAt: number): JobUpdate {
  return {
    condition: {
      all: [
        { attribute: 'status', is: '=', value: job.status },
        { attribute: 'dueAt', is: '=', value: job.dueAt ?? 0 },
      ],
    },
    set: { dueAt },
  };
}

/** Its time to start has not come: `isBeforeStart`. */
const beforeStart: Condition = {
  all: [waiting, { attribute: 'startAt', is: 'present' }, { attribute: 'startedAt', is: 'absent' }],
};

/** (A) A signal meets a job that waits: it goes on, but for one that waits for its start. */
export function wake(now: number): JobUpdate {
  const hasStarted: Condition = {
    any: [
      { attribute: 'startAt', is: 'absent' },
      { attribute: 'startedAt', is: 'present' },
    ],
  };
  return {
    condition: { all: [waiting, hasStarted] },
    set: { status: 'queued', dueAt: now + QUEUED_DUE_MS, updatedAt: now },
    add: { wakeups: 1 },
    remove: ['waitingFor', 'waitingOn', 'wakeAt', 'joinPending'],
  };
}

/** (B) A signal meets a job that runs, is queued or waits for its start: its worker must look before it lets go. */
export function noteWakeup(): JobUpdate {
  return {
    condition: {
      any: [
        { attribute: 'status', is: '=', value: 'queued' },
        { attribute: 'status', is: '=', value: 'running' },
        beforeStart,
      ],
    },
    add: { wakeups: 1 },
  };
}

/** With a signal that was not there before. */
export function countSignal(update: JobUpdate): JobUpdate {
  return { ...update, add: { ...update.add, signals: 1 } };
}

/** A sub-job has ended: the parent must look again before it lets go, and lacks one outcome less. */
export function noteChild(isNew: boolean): JobUpdate {
  return {
    condition: {
      any: [
        { attribute: 'status', is: '=', value: 'queued' },
        { attribute: 'status', is: '=', value: 'running' },
        { attribute: 'status', is: '=', value: 'waiting' },
      ],
    },
    add: isNew ? { wakeups: 1, joinPending: -1 } : { wakeups: 1 },
  };
}

/** What only an unfinished job has that no worker ever held. */
const UNCLAIMED_ATTRIBUTES: Attribute[] = ['paused', 'hops', 'waitingFor', 'wakeAt'];

/** A job that no worker has ever held ends at once. */
export function cancelUnclaimed(duties: readonly Duty[], totals: Totals, now: number): JobUpdate {
  const owes = duties.length > 0;
  return {
    condition: {
      all: [
        { any: [{ attribute: 'status', is: '=', value: 'queued' }, waiting] },
        { attribute: 'epoch', is: '=', value: 0 },
      ],
    },
    set: {
      status: 'cancelled',
      totals,
      finishedAt: now,
      updatedAt: now,
      ...(owes ? { duties, dueAt: now + QUEUED_DUE_MS } : {}),
    },
    remove: owes ? UNCLAIMED_ATTRIBUTES : [...UNCLAIMED_ATTRIBUTES, 'dueAt'],
  };
}

/** Asks for a cancel. A job that waits, or is paused, is queued, so that a worker obeys. */
export function requestCancel(job: Job, now: number): JobUpdate {
  const queue = job.status !== 'running';
  return {
    condition: { attribute: 'status', is: '=', value: job.status },
    set: queue
      ? {
          cancelRequestedAt: job.cancelRequestedAt ?? now,
          status: 'queued',
          dueAt: now + QUEUED_DUE_MS,
          updatedAt: now,
        }
      : { cancelRequestedAt: job.cancelRequestedAt ?? now },
    remove: queue ? ['paused', 'waitingFor', 'waitingOn', 'wakeAt', 'joinPending'] : ['paused'],
  };
}

/** Asks for a pause: a worker lets go at its next boundary, and no claim takes the job. A cancel goes before. */
export function requestPause(job: Job): JobUpdate {
  return {
    condition: {
      all: [
        { attribute: 'status', is: '=', value: job.status },
        { attribute: 'cancelRequestedAt', is: 'absent' },
      ],
    },
    set: { paused: true },
  };
}

/**
 * Ends a pause. What is not running is queued: it looks for itself whether it has to wait on. One whose start has not come
 * waits on, and is due at it again: a sweeper whose clock is ahead may have put it off as a paused one.
 */
export function resume(job: Job, now: number): JobUpdate {
  if (isBeforeStart(job) && job.wakeAt !== undefined && job.wakeAt > now) {
    return {
      condition: { all: [beforeStart, { attribute: 'paused', is: 'present' }] },
      set: { updatedAt: now, dueAt: job.wakeAt },
      remove: ['paused'],
    };
  }
  return {
    condition: {
      all: [
        { attribute: 'status', is: '=', value: job.status },
        { attribute: 'paused', is: 'present' },
      ],
    },
    ...(job.status === 'running'
      ? { remove: ['paused'] }
      : {
          set: { status: 'queued', dueAt: now + QUEUED_DUE_MS, updatedAt: now },
          remove: ['paused', 'waitingFor', 'waitingOn', 'wakeAt', 'joinPending'],
        }),
  };
}

/** A user restarts a job that failed or was cancelled: a new generation behind a cut of the old one. */
export function restart(
  job: Job,
  next: { cut: Cut; hint?: string; deadlineAt: number; now: number },
): JobUpdate {
  const { cut, hint, deadlineAt, now } = next;
  return {
    condition: {
      all: [
        { attribute: 'status', is: '=', value: job.status },
        { attribute: 'generation', is: '=', value: job.generation },
        { attribute: 'duties', is: 'absent' },
      ],
    },
    set: {
      status: 'queued',
      crashes: 0,
      cuts: [...(job.cuts ?? []), cut],
      deadlineAt,
      restartedAt: now,
      dueAt: now + QUEUED_DUE_MS,
      updatedAt: now,
      ...(hint === undefined ? {} : { hints: [...(job.hints ?? []), hint] }),
    },
    // A load that skips the history would miss the old generations.
    add: { generation: 1, wakeups: 1 },
    remove: [
      'cancelRequestedAt',
      'paused',
      'error',
      'deadLettered',
      'finishedAt',
      'totals',
      'hops',
    ],
  };
}
