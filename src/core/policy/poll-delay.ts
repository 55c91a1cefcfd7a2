import type { Job } from '../job/job.ts';

/** While something happens at every look. */
const BUSY_MS = 500;
const GROWTH = 1.5;
/** How far apart looks may grow: by what the job does, each being one request of half a read unit. */
const LONGEST_MS = { atWork: 2_000, waiting: 5_000, asleep: 15_000 } as const;
/** What is so far away that nobody waits for it at the screen. */
const FAR_MS = 60_000;

/**
 * How long to wait before the next look at a job that has not ended, after `idleLooks` that brought nothing new. A timer that
 * is about to wake the job ends the wait; only a command can wake one that sleeps for long.
 */
export function pollDelayMs(
  job: Pick<Job, 'status' | 'waitingFor' | 'wakeAt' | 'paused'>,
  { idleLooks, now }: { readonly idleLooks: number; readonly now: number },
): number {
  const untilWakeMs = job.wakeAt === undefined ? Infinity : job.wakeAt - now;
  const isWaiting = job.status === 'waiting' && (job.paused === true || untilWakeMs > 0);
  const grown = BUSY_MS * GROWTH ** Math.min(idleLooks, 20);
  if (!isWaiting) return Math.min(grown, LONGEST_MS.atWork);
  if (job.paused === true) return Math.min(grown, LONGEST_MS.waiting);
  return Math.max(BUSY_MS, Math.min(grown, longestMs(job, untilWakeMs), untilWakeMs));
}

function longestMs({ waitingFor }: Pick<Job, 'waitingFor'>, untilWakeMs: number): number {
  // Who waits for a signal or for sub-jobs may have a time limit as well.
  const isTimer = waitingFor === 'start' || waitingFor === 'sleep' || waitingFor === 'retry';
  return isTimer && untilWakeMs > FAR_MS ? LONGEST_MS.asleep : LONGEST_MS.waiting;
}
