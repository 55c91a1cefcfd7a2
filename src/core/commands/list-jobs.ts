import type { Job, JobStatus } from '../job/job.ts';
import type { ListPosition } from '../job/list-position.ts';
import type { JobStore } from '../ports/job-store.ts';
import { KEYS_PER_PAGE, lookThroughJobs } from './look-through-jobs.ts';

/** Which of the caller's jobs to show. What is left out selects nothing. */
export interface JobFilters {
  readonly status?: JobStatus;
  readonly agent?: string;
  readonly tag?: string;
  /** Epoch milliseconds, not included. */
  readonly createdAfter?: number;
  readonly createdBefore?: number;
}

export interface JobPage {
  readonly jobs: readonly Job[];
  /** Where the list goes on. */
  readonly next?: ListPosition;
}

/** A page of the caller's jobs, newest first. It may have fewer than `limit`, even none, and still not be the last. */
export async function listJobs(
  deps: { readonly jobs: Pick<JobStore, 'listJobs'> },
  query: {
    readonly tenantId: string;
    readonly filters: JobFilters;
    readonly limit: number;
    readonly after?: ListPosition;
  },
): Promise<JobPage> {
  const { tenantId, filters, limit, after } = query;
  const { status, agent, tag, createdAfter = -1, createdBefore = LAST_INSTANT } = filters;
  const looksAtEach = status !== undefined || agent !== undefined || tag !== undefined;
  const { rows, ...rest } = await lookThroughJobs(
    deps,
    {
      tenantId,
      from: createdAfter + 1,
      to: createdBefore - 1,
      limit: looksAtEach ? KEYS_PER_PAGE : limit,
      ...(after !== undefined && { after }),
    },
    { most: limit, rowOf: (job) => (matches(job, filters) ? job : undefined) },
  );
  return { jobs: rows, ...rest };
}

/** The last that a `Date` can hold. */
const LAST_INSTANT = 8_640_000_000_000_000;

function matches(job: Job, { status, agent, tag }: JobFilters): boolean {
  return (
    (status === undefined || job.status === status) &&
    (agent === undefined || job.agent === agent) &&
    (tag === undefined || job.tags?.includes(tag) === true)
  );
}
