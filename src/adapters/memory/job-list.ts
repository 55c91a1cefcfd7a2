import type { Job } from '../../core/job/job.ts';
import { type ListPosition, positionBehind } from '../../core/job/list-position.ts';
import type { JobListing, JobListQuery, ListedJob } from '../../core/ports/job-store.ts';
import { SHARDS } from '../../settings/names.ts';
import { shardOf } from '../../settings/shards.ts';
import { compareText } from './compare-text.ts';

const shard = (jobId: string): number => shardOf(jobId, SHARDS.byTenant);

export function listJobs(jobs: readonly Job[], query: JobListQuery): JobListing {
  const { tenantId, from, to, after, limit } = query;
  const found = jobs
    .filter((job) => job.tenantId === tenantId && job.createdAt >= from && job.createdAt <= to)
    .filter((job) => after === undefined || isBehind(job, after))
    .sort(byAge);
  let position = after;
  const entries = found.slice(0, limit).map((job): ListedJob => {
    position = positionBehind(job, position, shard);
    return { job, position };
  });
  return { entries, hasMore: found.length > limit };
}

function isBehind({ createdAt, jobId }: Job, { createdAt: at, jobIds }: ListPosition): boolean {
  if (createdAt !== at) return createdAt < at;
  const last = jobIds.find((other) => shard(other) === shard(jobId));
  return last === undefined || compareText(jobId, last) > 0;
}

function byAge(a: Job, b: Job): number {
  return (
    b.createdAt - a.createdAt || shard(a.jobId) - shard(b.jobId) || compareText(a.jobId, b.jobId)
  );
}
