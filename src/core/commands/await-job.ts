import { canonicalJson } from '../job/canonical-json.ts';
import { isFinal, type Job } from '../job/job.ts';
import type { Clock } from '../ports/clock.ts';
import type { JobStore, PagePosition } from '../ports/job-store.ts';

type Waits = Pick<Clock, 'now' | 'setTimer'>;

/** Pauses between two looks: short ones find out soon about a short job, long ones keep a long hold cheap. 20 s are 16 looks. */
const FIRST_MS = 100;
const GROWTH = 1.5;
const LONGEST_MS = 2_000;

/** The job once it has ended; undefined when it has not by `until`, or is gone. `atOnce` looks before the first pause, too. */
export async function awaitEnd(
  deps: { readonly jobs: Pick<JobStore, 'getJob'>; readonly clock: Waits },
  jobId: string,
  { until, atOnce }: { readonly until: number; readonly atOnce: boolean },
): Promise<Job | undefined> {
  const looks = looksUntil(deps.clock, until);
  let isTime = atOnce || (await looks.next());
  while (isTime) {
    const job = await deps.jobs.getJob(jobId);
    if (job === undefined || isFinal(job.status)) return job;
    isTime = await looks.next();
  }
  return undefined;
}

/** What a reader has seen of a job. */
export interface SeenJob {
  readonly job: Job;
  /** The newest page of its journal. */
  readonly page: PagePosition;
}

/** Waits for anything new of the job; false when there is nothing by `until`. */
export async function awaitChange(
  deps: { readonly jobs: Pick<JobStore, 'lookAt'>; readonly clock: Waits },
  { job, page }: SeenJob,
  looks: Looks,
): Promise<boolean> {
  const seen = canonicalJson(job);
  while (await looks.next()) {
    const look = await deps.jobs.lookAt(job.jobId, page, { consistent: false });
    if (look.pages.length > 0 || !look.isWhole || look.job === undefined) return true;
    if (canonicalJson(look.job) !== seen) return true;
  }
  return false;
}

/** The moments at which somebody who waits looks. */
export interface Looks {
  /** Resolves when it is time for the next look; false when there is none any more. The last one is at the end. */
  next(): Promise<boolean>;
}

export function looksUntil(clock: Waits, until: number): Looks {
  let delayMs = FIRST_MS;
  return {
    next: async () => {
      const now = clock.now();
      if (now >= until) return false;
      await pause(clock, Math.min(delayMs, until - now));
      delayMs = Math.min(LONGEST_MS, delayMs * GROWTH);
      return true;
    },
  };
}

function pause(clock: Waits, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimer(delayMs, resolve);
  });
}
