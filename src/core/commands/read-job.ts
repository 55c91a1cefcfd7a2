import { AppError } from '../../errors.ts';
import { type Job, isFinal, type Progress, type Totals } from '../job/job.ts';
import { isJobId } from '../job/job-id.ts';
import type { JobStore, PagePosition } from '../ports/job-store.ts';
import type { PayloadStore } from '../ports/payload-store.ts';

export interface ReadJobDeps {
  readonly jobs: Pick<JobStore, 'getJob' | 'lastPage' | 'getResult'>;
  readonly payloads: Pick<PayloadStore, 'presignGet'>;
}

export interface ReadFoundDeps extends Pick<ReadJobDeps, 'payloads'> {
  readonly jobs: Pick<JobStore, 'lastPage' | 'getResult'>;
}

/** A job with what is kept beside its item. */
export interface JobReading {
  readonly job: Job;
  /** The newest page of an unfinished job. */
  readonly page?: PagePosition;
  readonly progress?: Progress;
  /** JSON text of a result that is kept in the table. */
  readonly resultJson?: string;
  /** Where a result in the bucket can be read. */
  readonly resultUrl?: string;
}

/** The caller's own job, or `undefined`: another tenant's job does not exist for it. */
export async function findOwnJob(
  jobs: Pick<JobStore, 'getJob'>,
  { jobId, tenantId }: { readonly jobId: string; readonly tenantId: string },
): Promise<Job | undefined> {
  if (!isJobId(jobId)) return undefined;
  const job = await jobs.getJob(jobId);
  return job?.tenantId === tenantId ? job : undefined;
}

/** A job with its progress and, once it has succeeded, its result. */
export async function readJob(
  deps: ReadJobDeps,
  query: {
    readonly jobId: string;
    readonly tenantId: string;
    readonly resultUrlSeconds: number;
  },
): Promise<JobReading | undefined> {
  const job = await findOwnJob(deps.jobs, query);
  return job && readFound(deps, job, query.resultUrlSeconds);
}

/** The same of a job that has been read already; of one that has ended no page is read. */
export async function readFound(
  deps: ReadFoundDeps,
  job: Job,
  resultUrlSeconds: number,
): Promise<JobReading> {
  const [progress, result] = await Promise.all([
    readProgress(deps, job),
    readResult(deps, job, resultUrlSeconds),
  ]);
  return { job, ...progress, ...result };
}

async function readProgress(
  deps: ReadFoundDeps,
  job: Job,
): Promise<Pick<JobReading, 'progress' | 'page'>> {
  // Never claimed: there is no page. Final: the item carries the totals of the last one.
  if (job.epoch === 0) return {};
  if (isFinal(job.status) && job.totals !== undefined) return shown(job.totals);
  const page = await deps.jobs.lastPage(job.jobId, job.generation);
  const progress = shown(page?.totals ?? job.totals);
  return page === undefined
    ? progress
    : { ...progress, page: { generation: page.generation, seq: page.seq } };
}

function shown(totals: Totals | undefined): Pick<JobReading, 'progress'> {
  return totals?.progress === undefined ? {} : { progress: totals.progress };
}

async function readResult(
  deps: ReadFoundDeps,
  job: Job,
  resultUrlSeconds: number,
): Promise<Pick<JobReading, 'resultJson' | 'resultUrl'>> {
  const { result } = job;
  if (job.status !== 'succeeded' || result === undefined) return {};
  switch (result.kind) {
    case 'inline':
      return { resultJson: result.json };
    case 's3':
      return { resultUrl: await deps.payloads.presignGet(result, resultUrlSeconds) };
    case 'item': {
      const resultJson = await deps.jobs.getResult(job);
      if (resultJson !== undefined) return { resultJson };
      throw new AppError('the job succeeded, but its result item is missing', {
        code: 'internal_error',
        details: { jobId: job.jobId, generation: job.generation },
      });
    }
  }
}
