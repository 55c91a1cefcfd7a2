import type { Job } from '../../src/core/job/job.ts';
import { LIMITS } from '../../src/protocol/limits.ts';
import { RequestRefused } from './request-refused.ts';

/** What each command applies to; a refusal says it. */
const APPLIES_TO = {
  cancel: 'a job that has not ended',
  pause: 'a job that has not ended and is not being cancelled',
  resume: 'a job that has not ended',
  retry: 'a job that failed or was cancelled',
  fork: 'a job that succeeded',
  signal: 'a job that has not ended',
} as const;

export type Command = keyof typeof APPLIES_TO;

/** A command that the job's status does not allow. */
export function conflict(command: Command, job: Pick<Job, 'status'>): RequestRefused {
  return refusedIn(job, `the job is ${job.status}: ${command} applies to ${APPLIES_TO[command]}`);
}

export function refusedIn(
  { status }: Pick<Job, 'status'>,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): RequestRefused {
  return new RequestRefused('conflict', detail, { jobStatus: status, headers });
}

/** A job may have thousands of steps: the first of them are named, the others counted. */
export function unknownStep(fromStep: string, steps: readonly string[]): RequestRefused {
  const named = steps.slice(0, LIMITS.listedSteps);
  const count =
    steps.length > named.length
      ? `${steps.length}, the first ${named.length} are listed`
      : String(steps.length);
  return new RequestRefused(
    'unknown_step',
    `the job has recorded no step ${JSON.stringify(fromStep)}; it has recorded ${count}: see knownSteps`,
    { knownSteps: named, errors: [{ pointer: '/fromStep', message: 'unknown step' }] },
  );
}

/** Hints ride on the job item, whose size is limited. */
export function checkHints(job: Job, hint: string | undefined): void {
  const fault = hintFault(job, hint);
  if (fault !== undefined) throw refusedIn(job, fault);
}

/** Each replay of a job reads all of its signals. */
export function tooManySignals(job: Job): RequestRefused {
  return refusedIn(
    job,
    `the job was sent ${LIMITS.signals} signals, which is the limit: let the agent spread what it waits for over sub-jobs, each with signals of its own`,
  );
}

/** Why a job cannot be restarted once more, if it cannot. */
export function restartFault(job: Job, hint: string | undefined): string | undefined {
  const fault = hintFault(job, hint);
  if (fault !== undefined || job.generation <= LIMITS.restarts) return fault;
  return `the job was restarted ${LIMITS.restarts} times, which is the limit`;
}

function hintFault(job: Job, hint: string | undefined): string | undefined {
  if (hint === undefined || (job.hints ?? []).length < LIMITS.hints) return undefined;
  return `the job has ${LIMITS.hints} hints, which is the limit: leave hint out`;
}
