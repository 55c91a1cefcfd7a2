import type { DeadLetterPosition } from '../job/dead-letter-entry.ts';
import type { Job } from '../job/job.ts';
import type { JobStore } from '../ports/job-store.ts';

/** Which of the dead letters are meant. What is left out selects nothing. */
export interface DeadLetterFilters {
  readonly agent?: string;
  /** Of the error that ended the job. */
  readonly code?: string;
}

export interface DeadLetterQuery {
  readonly tenantId: string;
  readonly filters: DeadLetterFilters;
  readonly limit: number;
  readonly after?: DeadLetterPosition;
}

export interface FoundDeadLetter {
  readonly job: Job;
  readonly position: DeadLetterPosition;
}

export interface DeadLetterPage {
  readonly found: readonly FoundDeadLetter[];
  /** Where the list goes on. */
  readonly next?: DeadLetterPosition;
}

export type ListDeadLettersDeps = {
  readonly jobs: Pick<JobStore, 'listDeadLetters' | 'getJob' | 'removeDeadLetter'>;
};

/** Entries that a page looks at when filters leave some of them out. */
const ENTRIES_PER_PAGE = 100;

/**
 * Dead-lettered jobs of a tenant, newest first. An entry only leads to its job: one that was restarted meanwhile is left out,
 * and its entry removed, in case that had failed before. A page may have fewer jobs than `limit`, even none, and not be the last.
 */
export async function listDeadLetters(
  deps: ListDeadLettersDeps,
  { tenantId, filters, limit, after }: DeadLetterQuery,
): Promise<DeadLetterPage> {
  const isFiltered = filters.agent !== undefined || filters.code !== undefined;
  const { entries, hasMore } = await deps.jobs.listDeadLetters({
    tenantId,
    limit: isFiltered ? ENTRIES_PER_PAGE : limit,
    ...(after !== undefined && { after }),
  });
  const jobs = await Promise.all(entries.map(({ jobId }) => deadLetteredJob(deps, jobId)));
  const found: FoundDeadLetter[] = [];
  let next: DeadLetterPosition | undefined = after;
  for (const [at, position] of entries.entries()) {
    const job = jobs[at];
    if (job !== undefined && matches(job, filters)) {
      if (found.length === limit) return { found, ...(next !== undefined && { next }) };
      found.push({ job, position });
    }
    next = position;
  }
  return { found, ...(hasMore && next !== undefined && { next }) };
}

/** Whether a job is a dead letter now: it was given up, and nobody has restarted it since. */
export function isDeadLettered(job: Job): boolean {
  return job.status === 'failed' && job.deadLettered === true;
}

async function deadLetteredJob(deps: ListDeadLettersDeps, jobId: string): Promise<Job | undefined> {
  const job = await deps.jobs.getJob(jobId);
  if (job === undefined || isDeadLettered(job)) return job;
  await deps.jobs.removeDeadLetter(jobId, job.generation);
  return undefined;
}

function matches(job: Job, { agent, code }: DeadLetterFilters): boolean {
  return (
    (agent === undefined || job.agent === agent) && (code === undefined || job.error?.code === code)
  );
}
