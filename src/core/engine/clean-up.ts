import type { Agent } from '../../agent/define-agent.ts';
import { AppError } from '../../errors.ts';
import type { Job } from '../job/job.ts';

/** Scope of the steps of a clean-up. No id of `run` can begin like that. */
export const CLEAN_UP_SCOPE = '[cancel]';

export function isOfCleanUp(stepId: string): boolean {
  return stepId.startsWith(`${CLEAN_UP_SCOPE}/`);
}

/** Until when a job may clean up after its cancel; infinite while none was asked for. */
export function cleanUpEndsAt(job: Job, agent: Agent): number {
  if (job.cancelRequestedAt === undefined) return Infinity;
  return Math.min(job.deadlineAt, job.cancelRequestedAt + agent.limits.maxCleanUpMs);
}

/** A clean-up that must not hold the job any longer: it could wait for ever, or be what never ends. */
export function cleanUpExceeded(job: Job, agent: Agent): AppError {
  const { maxCleanUpMs } = agent.limits;
  const message =
    cleanUpEndsAt(job, agent) < job.deadlineAt
      ? `the clean-up was not done ${maxCleanUpMs} ms after the cancel (limits.maxCleanUp of the agent)`
      : 'the clean-up was not done at the deadline of the job (limits.maxDuration of the agent)';
  return new AppError(message, { code: 'clean_up_exceeded', details: { maxCleanUpMs } });
}
