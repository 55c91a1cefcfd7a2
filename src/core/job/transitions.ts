import { QUEUED_DUE_MS } from '../policy/limits.ts';
import type { Condition, JobUpdate } from './item-update.ts';
import type { Duty, FinalStatus, Job, JobError, Totals, WaitReason } from './job.ts';
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
      {
        all: [
          { attribute: 'status', is: '=', value: 'waiting' },
          {
            any: [
              { attribute: 'wakeAt', is: '<=', value: now },
              { attribute: 'deadlineAt', is: '<=', value: now },
            ],
          },
        ],
      },
    ],
  };
  const conditions: Condition[] = [ready, { attribute: 'paused', is: 'absent' }];
  if (!alone) conditions.push({ attribute: 'crashes', is: '=', value: 0 });
  return {
    condition: { all: conditions },
    set: { status: 'running', owner, ownerUntil, updatedAt: now },
    setIfAbsent: { startedAt: now },
    add: { epoch: 1 },
    remove: ['waitingFor', 'wakeAt'],
  };
}

/** Gives compute back until `wakeAt`, or until something raises `wakeups`. */
export function suspend(
  hold: Hold & { wakeups: number },
  wait: { reason: WaitReason; wakeAt?: number; deadlineAt: number; now: number },
): JobUpdate {
  const { reason, wakeAt, deadlineAt, now } = wait;
  return {
    condition: { all: [isMine(hold), sawAllWakeups(hold.wakeups), noCommandPending] },
    set: {
      status: 'waiting',
      waitingFor: reason,
      dueAt: Math.min(wakeAt ?? deadlineAt, deadlineAt),
      crashes: 0,
      updatedAt: now,
      ...(wakeAt === undefined ? {} : { wakeAt }),
    },
    remove: wakeAt === undefined ? ['owner', 'ownerUntil', 'wakeAt'] : ['owner', 'ownerUntil'],
  };
}

/** Ends a slice: the job goes on by a new message. */
export function continueLater(hold: Hold & { wakeups: number }, now: number): JobUpdate {
  return {
    condition: { all: [isMine(hold), sawAllWakeups(hold.wakeups), noCommandPending] },
    set: { status: 'queued', dueAt: now + QUEUED_DUE_MS, crashes: 0, updatedAt: now },
    remove: ['owner', 'ownerUntil'],
  };
}

/** A paused job that was claimed all the same: back to `queued`, where the claim refuses it until it is resumed. */
export function returnPaused(hold: Hold, now: number): JobUpdate {
  return {
    condition: { all: [isMine(hold), { attribute: 'paused', is: 'present' }] },
    set: { status: 'queued', dueAt: now + QUEUED_DUE_MS, updatedAt: now },
    remove: ['owner', 'ownerUntil'],
  };
}

/** An attempt after a crash has added to the journal: the count of crashes in a row starts anew. */
export function forgetCrashes(hold: Hold): JobUpdate {
  return { condition: isMine(hold), set: { crashes: 0 } };
}

export interface Ending {
  readonly status: FinalStatus;
  readonly result?: StoredValue;
  readonly error?: JobError;
  readonly totals: Totals;
  readonly duties: readonly Duty[];
  readonly now: number;
}

/** The final write of a job. Success wins over a cancel that the worker has not learnt of. */
export function finish(hold: Hold, ending: Ending): JobUpdate {
  const { status, result, error, totals, duties, now } = ending;
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
      ...(duties.includes('deadLetter') ? { deadLettered: true } : {}),
      ...(owes ? { duties, dueAt: now + QUEUED_DUE_MS } : {}),
    },
    remove: owes ? ['owner', 'ownerUntil', 'wakeAt'] : ['owner', 'ownerUntil', 'wakeAt', 'dueAt'],
  };
}

/** One duty of a final job is done; the last one takes the job out of the due index. */
export function dutyDone(job: Job, duty: Duty): JobUpdate {
  const left = (job.duties ?? []).filter((open) => open !== duty);
  return {
    condition: {
      all: [
        { attribute: 'status', is: '=', value: job.status },
        { attribute: 'generation', is: '=', value: job.generation },
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
