import { isFinal, type Job } from '../job/job.ts';

/** A queue that works takes a job within this time, unless more is submitted than the worker can take. */
const QUEUED_MS = 300_000;
/** What a message, a claim and the look of the sweeper may take. */
const GRACE_MS = 60_000;
const DUTIES_MS = 300_000;

/**
 * Whether something that should have happened to a job has not: the measure behind the alarm, since the queue's own age
 * metric hides messages that come back again and again
 * (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html).
 */
export function isOverdue(job: Job, now: number): boolean {
  if (isFinal(job.status)) return now - (job.finishedAt ?? job.updatedAt) > DUTIES_MS;
  if (job.paused === true) return now - job.deadlineAt > GRACE_MS;
  switch (job.status) {
    case 'queued':
      return now - job.updatedAt > QUEUED_MS;
    case 'running':
      return now - (job.ownerUntil ?? 0) > GRACE_MS;
    default:
      return now - Math.min(job.wakeAt ?? job.deadlineAt, job.deadlineAt) > GRACE_MS;
  }
}
