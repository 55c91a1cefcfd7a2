import type { Delivery } from '../../src/core/notify/delivery.ts';
import type { Job } from '../../src/core/job/job.ts';
import type { JobStore } from '../../src/core/ports/job-store.ts';
import { STAGE } from '../../src/protocol/routes.ts';
import type { Webhook } from '../../src/protocol/webhook.ts';
import { instant } from '../http/error-representation.ts';
import { jobRepresentation } from '../http/job-representation.ts';

/**
 * JSON text of a webhook: the job as it was at the event, so that every try says the same. A result that lies in the bucket is
 * not in it, nor a link to it, which would have run out before the last try.
 */
export async function webhookBody(
  jobs: Pick<JobStore, 'getResult'>,
  { event, job: snapshot, createdAt }: Delivery,
): Promise<string> {
  // What a snapshot leaves out is nothing that a reader of the job sees.
  const job = snapshot as Job;
  const resultJson = await smallResult(jobs, job);
  const progress = job.totals?.progress;
  const webhook: Webhook = {
    type: event,
    timestamp: instant(job.finishedAt ?? createdAt),
    data: jobRepresentation(
      {
        job,
        ...(progress !== undefined && { progress }),
        ...(resultJson !== undefined && { resultJson }),
      },
      { pathOf: (jobId) => `/${STAGE}/jobs/${jobId}`, resultUrlExpiresAt: 0 },
    ),
  };
  return JSON.stringify(webhook);
}

async function smallResult(
  jobs: Pick<JobStore, 'getResult'>,
  job: Job,
): Promise<string | undefined> {
  if (job.status !== 'succeeded') return undefined;
  if (job.result?.kind === 'inline') return job.result.json;
  return job.result?.kind === 'item' ? jobs.getResult(job) : undefined;
}
