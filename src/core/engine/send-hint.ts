import type { Job } from '../job/job.ts';
import type { JobHint } from '../ports/job-queue.ts';
import type { EngineDeps } from './engine-deps.ts';

/** Sends a hint; one that is refused is made good by the sweeper. */
export async function sendHint(
  deps: Pick<EngineDeps, 'queue' | 'telemetry'>,
  job: Job,
  reason: JobHint['reason'],
  delaySeconds = 0,
): Promise<void> {
  const { jobId, tenantId } = job;
  try {
    await deps.queue.send(hintOf(job, reason), { delaySeconds, isolated: job.crashes > 0 });
  } catch (error) {
    deps.telemetry.log('warn', 'the hint was refused; the sweeper will send it', {
      jobId,
      tenantId,
      error,
    });
  }
}

export function hintOf(job: Job, reason: JobHint['reason']): JobHint {
  const { jobId, tenantId, traceparent } = job;
  return { v: 1, jobId, tenantId, reason, ...(traceparent === undefined ? {} : { traceparent }) };
}
