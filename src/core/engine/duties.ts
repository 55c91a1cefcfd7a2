import type { Duty, Job } from '../job/job.ts';
import { dutyDone } from '../job/transitions.ts';
import type { EngineDeps } from './engine-deps.ts';

/** Does what a final job still owes, each thing at least once; what fails is left to the sweeper. */
export async function performDuties(
  deps: Pick<EngineDeps, 'jobs' | 'deadLetters' | 'telemetry'>,
  finished: Job,
): Promise<void> {
  let job = finished;
  for (const duty of finished.duties ?? []) {
    try {
      await perform(deps, job, duty);
      const { applied, job: now } = await deps.jobs.updateJob(job.jobId, dutyDone(job, duty));
      if (!applied) return;
      job = now;
    } catch (error) {
      deps.telemetry.log('error', 'a duty of a finished job failed and is left to the sweeper', {
        jobId: job.jobId,
        tenantId: job.tenantId,
        duty,
        error,
      });
    }
  }
}

async function perform(
  deps: Pick<EngineDeps, 'deadLetters' | 'telemetry'>,
  job: Job,
  duty: Duty,
): Promise<void> {
  if (duty !== 'deadLetter') throw new Error(`nothing is known of the duty ${duty}`);
  const { jobId, tenantId, agent, generation, error, finishedAt } = job;
  await deps.deadLetters.send({
    v: 1,
    jobId,
    tenantId,
    agent,
    generation,
    code: error?.code ?? 'internal_error',
    message: error?.message ?? '',
    attempt: error?.attempt ?? job.epoch,
    failedAt: new Date(finishedAt ?? job.updatedAt).toISOString(),
    ...(error?.step === undefined ? {} : { step: error.step }),
    ...(error?.cause === undefined ? {} : { cause: briefCause(error.cause) }),
  });
  deps.telemetry.count('DeadLetters', 1, { agent });
}

function briefCause(cause: NonNullable<NonNullable<Job['error']>['cause']>): {
  name: string;
  message: string;
  code?: string;
} {
  return {
    name: cause.name,
    message: cause.message,
    ...(cause.code === undefined ? {} : { code: cause.code }),
  };
}
