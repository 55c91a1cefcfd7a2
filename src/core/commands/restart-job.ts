import type { CommandDeps, CommandResult } from '../engine/cancel-job.ts';
import { type DutyDeps, performDuties } from '../engine/duties.ts';
import { foldJournal } from '../engine/journal-view.ts';
import { sendHint } from '../engine/send-hint.ts';
import { beginOf, type Cut, type Job, type Totals } from '../job/job.ts';
import { restart } from '../job/transitions.ts';
import type { JobHistory } from '../ports/job-store.ts';
import { jobFields } from '../trace/job-telemetry.ts';
import type { JobCommand } from './control-job.ts';
import { findOwnJob } from './read-job.ts';

export interface RestartCommand extends JobCommand {
  /** Advice that the agent reads as `ctx.hints`. */
  readonly hint?: string;
  /** The first step to run again; all that was recorded before it is kept. Default: all but what failed. */
  readonly fromStep?: string;
}

export type RestartResult =
  CommandResult | { readonly outcome: 'unknown_step'; readonly steps: readonly string[] };

/** Time that a job must at least have left before its items expire. */
const MARGIN_MS = 3_600_000;

/**
 * Puts a failed or cancelled job back to `queued`: a new generation behind a cut of the old one, whose outcome and entries
 * stay in the trace. A job that is under way again already is left as it is.
 */
export async function restartJob(
  deps: DutyDeps,
  command: RestartCommand,
): Promise<RestartResult | undefined> {
  const found = await findOwnJob(deps.jobs, command);
  if (found === undefined) return undefined;
  // A dead letter, or what the parent is owed, must not be lost with the outcome.
  if (isRestartable(found) && found.duties !== undefined) await performDuties(deps, found);
  const history = await deps.jobs.loadHistory(command.jobId);
  const { job } = history;
  if (job === undefined) return undefined;
  if (!isRestartable(job)) return { outcome: job.status === 'succeeded' ? 'refused' : 'done', job };
  const view = foldJournal(history.pages, job);
  if (command.fromStep !== undefined && !view.steps.has(command.fromStep)) {
    return { outcome: 'unknown_step', steps: [...view.steps.keys()] };
  }
  const now = deps.clock.now();
  const cut = cutOf(job, history, command.fromStep);
  const { hint } = command;
  const update = restart(job, {
    cut,
    deadlineAt: newDeadline(job, now),
    now,
    ...(hint === undefined ? {} : { hint }),
  });
  const result = await deps.jobs.updateJob(job.jobId, update);
  if (!result.applied) return { outcome: 'refused', job: result.job ?? job };
  const { totals } = foldJournal(history.pages, result.job);
  if (job.deadLettered === true) await unlist(deps, result.job);
  await noteRestart(deps, { before: job, after: result.job, totals, command });
  await sendHint(deps, result.job, 'submitted');
  return { outcome: 'done', job: result.job };
}

function isRestartable(job: Job): boolean {
  return job.status === 'failed' || job.status === 'cancelled';
}

/** Pages that a worker which lost the job adds to the old generation lie behind the cut and count for nothing. */
function cutOf(job: Job, history: JobHistory, fromStep: string | undefined): Cut {
  const { generation } = job;
  const seqs = history.pages.filter((page) => page.generation === generation).map(({ seq }) => seq);
  return {
    generation,
    seq: Math.max(0, ...seqs),
    keep: fromStep === undefined ? 'succeeded' : { before: fromStep },
  };
}

/**
 * Until when a restarted or forked job may take: as long as the first time, but not beyond the life of its items, which were
 * written with the first expiry.
 */
export function newDeadline(job: Job, now: number): number {
  const durationMs = job.deadlineAt - beginOf(job);
  return Math.max(
    now + MARGIN_MS,
    Math.min(now + durationMs, job.expiresAtSeconds * 1_000 - MARGIN_MS),
  );
}

/** The list is read together with the jobs, so that an entry which stays misleads nobody. */
async function unlist(deps: CommandDeps, job: Job): Promise<void> {
  try {
    await deps.jobs.removeDeadLetter(job.jobId, job.generation);
  } catch (error) {
    deps.telemetry.log('warn', 'a restarted job is still among the dead letters', {
      ...jobFields(job),
      error,
    });
  }
}

/** The outcome before goes into the trace. It is not needed to go on, so its absence is tolerated. */
async function noteRestart(
  deps: CommandDeps,
  at: { before: Job; after: Job; totals: Totals; command: RestartCommand },
): Promise<void> {
  const { before, after, totals, command } = at;
  const { fromStep, hint } = command;
  const { jobId, generation, expiresAtSeconds, epoch: attempt } = after;
  const status = before.status === 'failed' ? 'failed' : 'cancelled';
  const entry = {
    type: 'job.restarted',
    at: deps.clock.now(),
    attempt,
    previous: { status, ...(before.error === undefined ? {} : { error: before.error }) },
    ...(fromStep === undefined ? {} : { fromStep }),
    ...(hint === undefined ? {} : { hint }),
  } as const;
  const page = {
    jobId,
    generation,
    seq: 1,
    entries: [entry],
    totals,
    expiresAtSeconds,
  };
  try {
    await deps.jobs.appendPage(page);
  } catch (error) {
    deps.telemetry.log('warn', 'the restart could not be noted in the journal', {
      ...jobFields(after),
      error,
    });
  }
}
