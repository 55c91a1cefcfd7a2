import type { Job } from '../job/job.ts';
import { MAX_QUEUE_DELAY_MS } from '../policy/limits.ts';
import type { JobHint } from '../ports/job-queue.ts';
import { jobFields } from '../trace/job-telemetry.ts';
import type { EngineDeps } from './engine-deps.ts';

/** Sends a hint; one that is refused is made good by the sweeper. */
export async function sendHint(
  deps: Pick<EngineDeps, 'queue' | 'telemetry'>,
  job: Job,
  reason: JobHint['reason'],
  delaySeconds = 0,
): Promise<void> {
  try {
    await deps.queue.send(hintOf(job, reason), { delaySeconds, isolated: job.crashes > 0 });
  } catch (error) {
    deps.telemetry.log('warn', 'the hint was refused; the sweeper will send it', {
      ...jobFields(job),
      error,
    });
  }
}

/** A hint for the moment when a job may start. One that is too far away for the queue is left to the sweeper. */
export async function hintAtStart(
  deps: Pick<EngineDeps, 'queue' | 'telemetry' | 'clock'>,
  job: Job,
): Promise<void> {
  const delaySeconds = startDelaySeconds(job, deps.clock.now());
  if (delaySeconds !== undefined) await sendHint(deps, job, 'woken', delaySeconds);
}

/** Undefined: the queue does not take a message for so long. */
export function startDelaySeconds({ startAt }: Job, now: number): number | undefined {
  const delayMs = Math.max(0, (startAt ?? 0) - now);
  return delayMs > MAX_QUEUE_DELAY_MS ? undefined : Math.ceil(delayMs / 1_000);
}

export function hintOf(job: Job, reason: JobHint['reason']): JobHint {
  const { jobId, tenantId, agent, traceparent } = job;
  return {
    v: 1,
    jobId,
    tenantId,
    agent,
    reason,
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}
