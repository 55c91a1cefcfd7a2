import type { Job } from '../job/job.ts';
import type { ListPosition } from '../job/list-position.ts';
import type { Clock } from '../ports/clock.ts';
import type { JobStore } from '../ports/job-store.ts';
import { type Stall, stallOf } from '../sweep/stall-of.ts';
import { type FoundRows, KEYS_PER_PAGE, lookThroughJobs } from './look-through-jobs.ts';

export interface StalledJob {
  readonly job: Job;
  readonly stall: Stall;
}

export interface StalledQuery {
  readonly tenantId: string;
  readonly filters: {
    readonly agent?: string;
    /** Epoch milliseconds, not included. */
    readonly createdAfter?: number;
  };
  /** What waits no longer than this is left out. */
  readonly longMs: number;
  readonly limit: number;
  readonly after?: ListPosition;
}

/**
 * A page of a tenant's jobs that are overdue or wait for long, the newest job first. There is no index of them: it looks at a bounded
 * number of the tenant's jobs, finished ones included, so that a page may have few rows, even none, and still not be the last.
 */
export async function listStalledJobs(
  deps: {
    readonly jobs: Pick<JobStore, 'listJobs'>;
    readonly clock: Pick<Clock, 'now'>;
  },
  { tenantId, filters, longMs, limit, after }: StalledQuery,
): Promise<FoundRows<StalledJob>> {
  const now = deps.clock.now();
  const { agent, createdAfter = -1 } = filters;
  const rowOf = (job: Job): StalledJob | undefined => {
    const stall =
      agent === undefined || job.agent === agent ? stallOf(job, now, longMs) : undefined;
    return stall && { job, stall };
  };
  const range = { tenantId, from: createdAfter + 1, to: now, limit: KEYS_PER_PAGE };
  return lookThroughJobs(
    deps,
    { ...range, ...(after !== undefined && { after }) },
    { most: limit, rowOf },
  );
}
