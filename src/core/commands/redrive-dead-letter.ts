import type { DutyDeps } from '../engine/duties.ts';
import { isFinal, type Job } from '../job/job.ts';
import type { JobCommand } from './control-job.ts';
import { isDeadLettered } from './list-dead-letters.ts';
import { findOwnJob } from './read-job.ts';
import { restartJob } from './restart-job.ts';

export interface RedriveCommand extends JobCommand {
  /** Advice that the agent reads as `ctx.hints`. */
  readonly hint?: string;
  /** Why a job may not be restarted, if it may not. */
  readonly refusal: (job: Job) => string | undefined;
}

/** What became of one dead letter. */
export interface RedriveOutcome {
  readonly jobId: string;
  readonly outcome: 'redriven' | 'already_redriven' | 'not_found' | 'refused';
  readonly detail?: string;
}

/**
 * Restarts a dead-lettered job from where it stopped; its entry goes with that, its message a little later. Sent again, also
 * after a crash at any point, it does what is left.
 */
export async function redriveDeadLetter(
  deps: DutyDeps,
  command: RedriveCommand,
): Promise<RedriveOutcome> {
  const { jobId, tenantId, hint, refusal } = command;
  const job = await findOwnJob(deps.jobs, command);
  if (job === undefined) return { jobId, outcome: 'not_found' };
  if (!isDeadLettered(job)) return notDeadLettered(deps, job);
  const detail = refusal(job);
  if (detail !== undefined) return { jobId, outcome: 'refused', detail };

  const result = await restartJob(deps, {
    jobId,
    tenantId,
    ...(hint !== undefined && { hint }),
  });
  if (result === undefined) return { jobId, outcome: 'not_found' };
  if (result.outcome === 'done') return { jobId, outcome: 'redriven' };
  const now = 'job' in result ? result.job : job;
  if (now.generation > job.generation) return alreadyRedriven(now);
  return {
    jobId,
    outcome: 'refused',
    detail: 'what the job owes after its end is being done: try again shortly',
  };
}

async function notDeadLettered(deps: DutyDeps, job: Job): Promise<RedriveOutcome> {
  const { jobId, generation, status } = job;
  if (generation === 1 || (isFinal(status) && status !== 'succeeded')) {
    return { jobId, outcome: 'refused', detail: `the job is ${status} and no dead letter` };
  }
  // Whoever restarted it may have died before it removed the entry.
  await deps.jobs.removeDeadLetter(jobId, generation);
  return alreadyRedriven(job);
}

function alreadyRedriven({ jobId, status }: Job): RedriveOutcome {
  return { jobId, outcome: 'already_redriven', detail: `the job is ${status}` };
}
