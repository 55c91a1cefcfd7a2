import { describe, expect, it } from '@jest/globals';
import type { Job } from '../../src/core/job/job.ts';
import { stallOf } from '../../src/core/sweep/stall-of.ts';
import { aJob, NOON } from '../support/builders.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const [NOON_TEXT, NEXT_NOON] = ['2030-01-01T12:00:00.000Z', '2030-01-02T12:00:00.000Z'];
const LATER = '2030-01-31T12:00:00.000Z';

const since = (job: Partial<Job>): Partial<Job> => ({
  updatedAt: NOON,
  deadlineAt: NOON + 30 * DAY,
  ...job,
});

const ROWS: {
  name: string;
  job: Partial<Job>;
  /** From noon on. */
  after: number;
  kind: string | undefined;
  reason?: string;
}[] = [
  {
    name: 'queued for a moment',
    job: { status: 'queued' },
    after: MINUTE,
    kind: undefined,
  },
  {
    name: 'queued, and no worker takes it',
    job: { status: 'queued' },
    after: 6 * MINUTE,
    kind: 'overdue',
    reason: `queued since ${NOON_TEXT}, and no worker has taken it`,
  },
  {
    name: 'running, however long',
    job: { status: 'running', ownerUntil: NOON + 3 * DAY },
    after: 2 * DAY,
    kind: undefined,
  },
  {
    name: 'running beyond the end of its invocation',
    job: { status: 'running', ownerUntil: NOON },
    after: 2 * MINUTE,
    kind: 'overdue',
    reason: `the invocation that ran it had ended by ${NOON_TEXT}, and nobody has taken it back`,
  },
  {
    name: 'asleep beyond its time',
    job: { status: 'waiting', waitingFor: 'sleep', wakeAt: NOON },
    after: 2 * MINUTE,
    kind: 'overdue',
    reason: `it should have gone on at ${NOON_TEXT}, and nobody has woken it`,
  },
  {
    name: 'waiting beyond its deadline',
    job: { status: 'waiting', waitingFor: 'signal', waitingOn: 'ok', deadlineAt: NOON },
    after: 2 * MINUTE,
    kind: 'overdue',
    reason: `its time was up at ${NOON_TEXT}, and nobody has ended it`,
  },
  {
    name: 'paused beyond its deadline',
    job: { status: 'queued', paused: true, deadlineAt: NOON },
    after: 2 * MINUTE,
    kind: 'overdue',
    reason: `its time was up at ${NOON_TEXT}, and nobody has ended it`,
  },
  {
    name: 'ended, with duties left',
    job: { status: 'failed', finishedAt: NOON, duties: ['webhook', 'deadLetter'] },
    after: 6 * MINUTE,
    kind: 'overdue',
    reason: `failed since ${NOON_TEXT}, but still to do: to notify its receivers, to send its dead letter`,
  },
  {
    name: 'ended, with nothing left',
    job: { status: 'failed', finishedAt: NOON },
    after: 6 * DAY,
    kind: undefined,
  },
  {
    name: 'waiting for a signal, not for long',
    job: { status: 'waiting', waitingFor: 'signal', waitingOn: 'decision' },
    after: HOUR,
    kind: undefined,
  },
  {
    name: 'waiting for a signal for long',
    job: { status: 'waiting', waitingFor: 'signal', waitingOn: 'decision' },
    after: HOUR + 1,
    kind: 'waiting',
    reason: `waits for the signal "decision" since ${NOON_TEXT}, until ${LATER} at the latest`,
  },
  {
    name: 'asleep for long, as it is meant to be',
    job: { status: 'waiting', waitingFor: 'sleep', wakeAt: NOON + DAY },
    after: 2 * HOUR,
    kind: 'waiting',
    reason: `sleeps since ${NOON_TEXT}, until ${NEXT_NOON} at the latest`,
  },
  {
    name: 'waiting for sub-jobs for long',
    job: { status: 'waiting', waitingFor: 'children' },
    after: 2 * HOUR,
    kind: 'waiting',
    reason: `waits for its sub-jobs since ${NOON_TEXT}, until ${LATER} at the latest`,
  },
  {
    name: 'waiting for its agent, at once',
    job: { status: 'waiting', waitingFor: 'agent_missing', agent: 'departed' },
    after: 1,
    kind: 'agent_unavailable',
    reason: 'its agent "departed" is not in this deployment',
  },
  {
    name: 'waiting for an agent that is refused, at once',
    job: { status: 'waiting', waitingFor: 'agent_refused', agent: 'slow' },
    after: 1,
    kind: 'agent_unavailable',
    reason: 'this deployment refuses its agent "slow": it needs longer time slices',
  },
  {
    name: 'paused, not for long',
    job: { status: 'queued', paused: true },
    after: 30 * MINUTE,
    kind: undefined,
  },
  {
    name: 'paused for long',
    job: { status: 'queued', paused: true },
    after: 2 * HOUR,
    kind: 'paused',
    reason: `paused, at ${NOON_TEXT} or later, and not resumed`,
  },
];

describe('a job that stands still', () => {
  it.each(ROWS)('$name: $kind', ({ job, after, kind, reason }) => {
    const stall = stallOf(aJob(since(job)), NOON + after, HOUR);

    expect(stall?.kind).toBe(kind);
    expect(stall?.reason).toBe(reason);
    if (stall) expect(stall.since).toBe(NOON);
  });
});
