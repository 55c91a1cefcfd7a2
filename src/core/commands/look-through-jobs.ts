import type { Job } from '../job/job.ts';
import type { ListPosition } from '../job/list-position.ts';
import type { JobListQuery, JobStore } from '../ports/job-store.ts';

/** What a page of a list found. */
export interface FoundRows<Row> {
  readonly rows: readonly Row[];
  /** Where the list goes on. */
  readonly next?: ListPosition;
}

/** Jobs that a page looks at when some of them are left out: what one read of a table may ask for. */
export const KEYS_PER_PAGE = 100;

/**
 * The first rows that jobs of a tenant make, newest first; a job that makes none is left out. It looks at a bounded number of jobs,
 * whatever it finds, so that there may be fewer rows than `most`, even none, and still more behind them.
 */
export async function lookThroughJobs<Row>(
  { jobs }: { readonly jobs: Pick<JobStore, 'listJobs'> },
  query: JobListQuery,
  { most, rowOf }: { readonly most: number; readonly rowOf: (job: Job) => Row | undefined },
): Promise<FoundRows<Row>> {
  const { entries, hasMore } = await jobs.listJobs(query);
  const rows: Row[] = [];
  let next = query.after;
  for (const { job, position } of entries) {
    const row = job && rowOf(job);
    if (row !== undefined) {
      if (rows.length === most) return { rows, ...(next !== undefined && { next }) };
      rows.push(row);
    }
    next = position;
  }
  return { rows, ...(hasMore && next !== undefined && { next }) };
}
