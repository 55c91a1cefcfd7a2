/** Place in the list of a tenant's jobs, newest first. */
export interface ListPosition {
  /** Of the job seen last. */
  readonly createdAt: number;
  /** Of the jobs seen of that very instant the last in each part of the index. */
  readonly jobIds: readonly string[];
}

interface ListKey {
  readonly createdAt: number;
  readonly jobId: string;
}

/** The place behind a job that follows on `before`. The index is in parts, each with an order of its own at one instant. */
export function positionBehind(
  { createdAt, jobId }: ListKey,
  before: ListPosition | undefined,
  partOf: (jobId: string) => number,
): ListPosition {
  if (before?.createdAt !== createdAt) return { createdAt, jobIds: [jobId] };
  const others = before.jobIds.filter((other) => partOf(other) !== partOf(jobId));
  return { createdAt, jobIds: [...others, jobId] };
}
