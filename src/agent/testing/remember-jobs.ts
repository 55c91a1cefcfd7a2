import type { Job } from '../../core/job/job.ts';
import type { JobStore } from '../../core/ports/job-store.ts';

/** A store that keeps each job, as it was written last, in `jobs` as well. */
export function rememberJobs(store: JobStore, jobs: Map<string, Job>): JobStore {
  return {
    ...store,
    createJob: async (job, inputJson) => {
      const result = await store.createJob(job, inputJson);
      if (result.created) jobs.set(job.jobId, job);
      return result;
    },
    updateJob: async (jobId, update) => {
      const result = await store.updateJob(jobId, update);
      if (result.applied) jobs.set(jobId, result.job);
      return result;
    },
  };
}
