import type { Agent } from '../../agent/define-agent.ts';
import type { AppError } from '../../errors.ts';
import type { Job } from '../job/job.ts';
import type { JournalEntry } from '../job/journal.ts';
import { cancelledEntry, endCancelled, fail, failureEntry, type HeldJob } from './end-job.ts';
import type { EngineDeps, Invocation } from './engine-deps.ts';
import type { JournalView } from './journal-view.ts';
import { type Failure, limitFailure } from './outcome.ts';

/**
 * Ends of a job of which no code runs any more: the final entry, which fences off every earlier owner, then the final status.
 * Each answers the job when somebody else's page was there first, and the history must be read again.
 */

export async function failFenced(
  deps: EngineDeps,
  held: HeldJob,
  failure: Failure,
  lastSeq: number,
): Promise<Job | undefined> {
  const entry = failureEntry(failure, held.job, deps.clock.now());
  if (!(await appendFinal(deps, held, { entry, lastSeq }))) return held.job;
  await fail(deps, held, failure);
  return undefined;
}

/** Without its clean-up, for which there may be a reason. */
export async function cancelFenced(
  deps: EngineDeps,
  held: HeldJob,
  lastSeq: number,
  cleanUpError?: AppError,
): Promise<Job | undefined> {
  if (cleanUpError !== undefined) deps.telemetry.log('error', cleanUpError.message);
  const entry = cancelledEntry(held.job, deps.clock.now(), cleanUpError && { error: cleanUpError });
  if (!(await appendFinal(deps, held, { entry, lastSeq }))) return held.job;
  await endCancelled(deps, held);
  return undefined;
}

/** A job that killed every environment it ran in ends here, with the step that was running then. */
export async function giveUp(
  deps: EngineDeps,
  { job, invocation, view }: { job: Job; invocation: Invocation; view: JournalView },
  agent: Agent,
): Promise<Job | undefined> {
  // Whether it has sub-jobs, or what of its steps a retry kept, the end of the journal does not tell.
  const { totals, keptSteps } = view;
  const held = { job, invocation, totals, keptSteps, hasChildren: true };
  if (view.ended !== undefined) return endAsRecorded(deps, held, view.ended);
  const during =
    view.startedStep === undefined ? '' : ` during step ${JSON.stringify(view.startedStep)}`;
  const message =
    `the job's worker died ${job.crashes} times in a row${during} (limits.maxAttempts of the agent is ${agent.limits.maxAttempts}): ` +
    'it ran out of memory, blocked the event loop, exited, left a rejection unhandled, or the infrastructure failed each time';
  return failFenced(
    deps,
    held,
    limitFailure('attempts_exhausted', message, job, view.startedStep),
    view.lastSeq,
  );
}

/** A final entry decides, whatever else is set: the worker that wrote it died before the final write. */
export async function endAsRecorded(
  deps: EngineDeps,
  held: HeldJob,
  ended: NonNullable<JournalView['ended']>,
): Promise<undefined> {
  if (ended.type === 'job.cancelled') await endCancelled(deps, held);
  else await fail(deps, held, { error: ended.error, deadLetter: ended.deadLettered });
  return undefined;
}

/** False: somebody else's page was there first. */
async function appendFinal(
  deps: EngineDeps,
  { job, totals }: HeldJob,
  { entry, lastSeq }: { entry: JournalEntry; lastSeq: number },
): Promise<boolean> {
  const { jobId, generation, expiresAtSeconds } = job;
  const page = { jobId, generation, seq: lastSeq + 1, entries: [entry], totals, expiresAtSeconds };
  return (await deps.jobs.appendPage(page)) === 'appended';
}
