import { describe, expect, it } from '@jest/globals';
import type { Job } from '../../src/core/job/job.ts';
import { isOverdue } from '../../src/core/sweep/is-overdue.ts';
import { aJob, NOON } from '../support/builders.ts';

const MINUTE = 60_000;

/** A job, and how long after noon it is not overdue yet. */
const ROWS: { name: string; job: Partial<Job>; grace: number }[] = [
  {
    name: 'queued: five minutes after it last changed',
    job: { status: 'queued', updatedAt: NOON },
    grace: 5 * MINUTE,
  },
  {
    name: 'waiting: a minute after its time',
    job: { status: 'waiting', wakeAt: NOON, deadlineAt: NOON + 60 * MINUTE },
    grace: MINUTE,
  },
  {
    name: 'waiting for a signal: a minute after its deadline',
    job: { status: 'waiting', deadlineAt: NOON },
    grace: MINUTE,
  },
  {
    name: 'running: a minute after the end of its invocation',
    job: { status: 'running', ownerUntil: NOON },
    grace: MINUTE,
  },
  {
    name: 'paused: a minute after its deadline, however long it is queued',
    job: { status: 'queued', paused: true, updatedAt: 0, deadlineAt: NOON },
    grace: MINUTE,
  },
  {
    name: 'ended with something owed: five minutes after its end',
    job: { status: 'failed', finishedAt: NOON, duties: ['deadLetter'] },
    grace: 5 * MINUTE,
  },
];

describe('a job is overdue', () => {
  it.each(ROWS)('$name', ({ job, grace }) => {
    expect(isOverdue(aJob(job), NOON + grace)).toBe(false);
    expect(isOverdue(aJob(job), NOON + grace + 1)).toBe(true);
  });
});
