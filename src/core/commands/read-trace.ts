import type { Job } from '../job/job.ts';
import type { JournalPage } from '../job/journal.ts';
import type { JobStore, PagePosition } from '../ports/job-store.ts';
import { findOwnJob } from './read-job.ts';

export interface TraceReading {
  readonly job: Job;
  readonly pages: readonly JournalPage[];
  /** Where the next part begins; absent when this is the last. */
  readonly next?: PagePosition;
}

/** A part of the journal of the caller's own job, oldest page first. */
export async function readTrace(
  deps: { readonly jobs: Pick<JobStore, 'getJob' | 'listPages'> },
  query: { readonly jobId: string; readonly tenantId: string; readonly cursor?: PagePosition },
): Promise<TraceReading | undefined> {
  // The job first: pages that appear in between only make the trace newer than the status.
  const job = await findOwnJob(deps.jobs, query);
  if (job === undefined) return undefined;
  return { job, ...(await deps.jobs.listPages(job.jobId, query.cursor)) };
}
