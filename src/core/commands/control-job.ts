import {
  announce,
  cancelJob,
  type CommandDeps,
  type CommandResult,
  noteCommand,
} from '../engine/cancel-job.ts';
import { type DutyDeps, performDuties } from '../engine/duties.ts';
import { hintAtStart, sendHint } from '../engine/send-hint.ts';
import type { JobUpdate } from '../job/item-update.ts';
import { isBeforeStart, isFinal, type Job } from '../job/job.ts';
import { requestPause, resume } from '../job/transitions.ts';
import { findOwnJob } from './read-job.ts';
import { jobFields } from '../trace/job-telemetry.ts';

/** A command of a tenant on one of its jobs. */
export interface JobCommand {
  readonly jobId: string;
  readonly tenantId: string;
}

/** Cancels the caller's job; undefined when there is none. Repeating it is harmless. */
export async function cancelOwnJob(
  deps: DutyDeps,
  command: JobCommand,
): Promise<CommandResult | undefined> {
  const job = await findOwnJob(deps.jobs, command);
  if (job === undefined) return undefined;
  const result = await cancelJob(deps, job);
  if (result.outcome === 'done' && result.job.duties !== undefined)
    await performDuties(deps, result.job);
  return result;
}

/** Pauses the caller's job: its worker lets go at the next boundary, and none takes it until it is resumed. */
export async function pauseJob(
  deps: CommandDeps,
  command: JobCommand,
): Promise<CommandResult | undefined> {
  const result = await changeJob(deps, command, {
    isDone: (job) => job.paused === true,
    isRefused: (job) => isFinal(job.status) || job.cancelRequestedAt !== undefined,
    update: (job) => requestPause(job),
  });
  if (result?.changed === true) await announce(deps, result.job, { type: 'pause.requested' });
  return result;
}

/** Resumes a paused job; one that is not paused is left as it is. */
export async function resumeJob(
  deps: CommandDeps,
  command: JobCommand,
): Promise<CommandResult | undefined> {
  const result = await changeJob(deps, command, {
    isDone: (job) => job.paused !== true,
    isRefused: (job) => isFinal(job.status),
    update: (job) => resume(job, deps.clock.now()),
  });
  if (result?.changed !== true) return result;
  await noteResume(deps, result.job);
  if (result.job.status === 'queued') await sendHint(deps, result.job, 'woken');
  else if (isBeforeStart(result.job)) await hintAtStart(deps, result.job);
  return result;
}

/** Nobody obeys the entry, it is for those who read the trace: the job goes on without it, too. */
async function noteResume(deps: CommandDeps, job: Job): Promise<void> {
  try {
    await noteCommand(deps, job, 'job.resumed');
  } catch (error) {
    deps.telemetry.log('warn', 'the resume could not be noted in the journal', {
      ...jobFields(job),
      error,
    });
  }
}

interface Change {
  readonly isDone: (job: Job) => boolean;
  readonly isRefused: (job: Job) => boolean;
  readonly update: (job: Job) => JobUpdate;
}

/** Conditional on the state it saw, and tried again on the state that it meets. */
async function changeJob(
  deps: CommandDeps,
  command: JobCommand,
  { isDone, isRefused, update }: Change,
): Promise<(CommandResult & { changed: boolean }) | undefined> {
  let job = await findOwnJob(deps.jobs, command);
  while (job !== undefined) {
    if (isRefused(job)) return { outcome: 'refused', job, changed: false };
    if (isDone(job)) return { outcome: 'done', job, changed: false };
    const result = await deps.jobs.updateJob(job.jobId, update(job));
    if (result.applied) return { outcome: 'done', job: result.job, changed: true };
    job = result.job;
  }
  return undefined;
}
