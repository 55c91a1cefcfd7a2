import { describe, expect, it } from '@jest/globals';
import type { Job } from '../../src/core/job/job.ts';
import { pollDelayMs } from '../../src/core/policy/poll-delay.ts';
import { aJob, NOON } from '../support/builders.ts';

const sleeping = (wakeAt: number): Partial<Job> => ({
  status: 'waiting',
  waitingFor: 'sleep',
  wakeAt,
});

describe('the next look at a followed job', () => {
  it.each<{ name: string; job: Partial<Job>; idleLooks: number; delayMs: number }>([
    { name: 'at work with news', job: { status: 'running' }, idleLooks: 0, delayMs: 500 },
    { name: 'at work without news', job: { status: 'running' }, idleLooks: 1, delayMs: 750 },
    { name: 'at work, silent for long', job: { status: 'running' }, idleLooks: 99, delayMs: 2_000 },
    { name: 'queued', job: { status: 'queued' }, idleLooks: 99, delayMs: 2_000 },
    {
      name: 'waiting for a signal',
      job: { status: 'waiting', waitingFor: 'signal' },
      idleLooks: 99,
      delayMs: 5_000,
    },
    {
      name: 'waiting for a signal until tomorrow',
      job: { status: 'waiting', waitingFor: 'signal', wakeAt: NOON + 86_400_000 },
      idleLooks: 99,
      delayMs: 5_000,
    },
    {
      name: 'asleep until tomorrow',
      job: sleeping(NOON + 86_400_000),
      idleLooks: 99,
      delayMs: 15_000,
    },
    {
      name: 'just asleep until tomorrow',
      job: sleeping(NOON + 86_400_000),
      idleLooks: 0,
      delayMs: 500,
    },
    { name: 'asleep for a minute', job: sleeping(NOON + 60_000), idleLooks: 99, delayMs: 5_000 },
    { name: 'about to wake', job: sleeping(NOON + 1_200), idleLooks: 99, delayMs: 1_200 },
    { name: 'late to wake', job: sleeping(NOON - 60_000), idleLooks: 99, delayMs: 2_000 },
    {
      name: 'paused past its timer',
      job: { ...sleeping(NOON - 60_000), paused: true },
      idleLooks: 99,
      delayMs: 5_000,
    },
  ])('comes after $delayMs ms when it is $name', ({ job, idleLooks, delayMs }) => {
    expect(pollDelayMs(aJob(job), { idleLooks, now: NOON })).toBe(delayMs);
  });
});
