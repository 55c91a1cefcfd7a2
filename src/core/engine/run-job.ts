import type { Agent } from '../../agent/define-agent.ts';
import type { JobUpdate } from '../job/item-update.ts';
import type { Job } from '../job/job.ts';
import type { JournalEntry } from '../job/journal.ts';
import { claim, countCrashes, reclaim, returnPaused, suspend } from '../job/transitions.ts';
import { endCancelled, fail, failureEntry, type HeldJob } from './end-job.ts';
import type { EngineDeps, Invocation } from './engine-deps.ts';
import { fence, isHeld, loadJob, type LoadedJob, loadTail, type Look } from './load-job.ts';
import { type Failure, limitFailure } from './outcome.ts';
import { cancelAgent, runAgent } from './run-agent.ts';
import { hasOpenChildren, type JournalView } from './journal-view.ts';
import { LIMITS } from '../policy/limits.ts';

/** How often a job whose agent is not deployed is looked at again. */
const AGENT_MISSING_RETRY_MS = 300_000;

/**
 * Works on one job of an invocation: claims it, then carries it on until it ends, suspends, continues later or is lost.
 * Never throws: a failure of the infrastructure hands the job back. False when even that failed, and the job may still be
 * held in the name of this invocation.
 */
export async function runJob(
  deps: EngineDeps,
  invocation: Invocation,
  jobId: string,
): Promise<boolean> {
  try {
    let job = await claimJob(deps, invocation, jobId);
    // Each turn is one look at the whole history; another one follows when something new came up meanwhile.
    for (let isFirstLook = true; job !== undefined; isFirstLook = false) {
      job = await advance(deps, invocation, { job, isFirstLook });
    }
    return true;
  } catch (error) {
    deps.telemetry.log('error', 'the job could not go on and is handed back', { jobId, error });
    return handBack(deps, invocation, jobId);
  }
}

/** Undefined: somebody else has the job, or it is not ready. Then whoever has it, or the sweeper, has the duty. */
async function claimJob(
  deps: EngineDeps,
  invocation: Invocation,
  jobId: string,
): Promise<Job | undefined> {
  const now = deps.clock.now();
  const { id: owner, endsAt: ownerUntil, alone } = invocation;
  const { applied, job } = await deps.jobs.updateJob(
    jobId,
    claim({ owner, ownerUntil, now, alone }),
  );
  if (job === undefined) return undefined;
  // Refused because it is mine already: the answer to an earlier try of this request was lost.
  if (!applied && !(job.status === 'running' && job.owner === owner)) return undefined;
  if (job.epoch === 1)
    deps.telemetry.measure('QueueWaitMs', now - job.createdAt, { agent: job.agent });
  return job;
}

/** The job again when it must be looked at once more, undefined when this invocation is done with it. */
async function advance(
  deps: EngineDeps,
  invocation: Invocation,
  look: Look,
): Promise<Job | undefined> {
  const claimed = look.job;
  const agent = deps.agents.get(claimed.agent);
  if (agent === undefined) return waitForAgent(deps, invocation, claimed);
  if (claimed.crashes >= agent.limits.maxAttempts) {
    const view = await loadTail(deps, claimed);
    // Read after the pages, as in a load: whoever lost the job must not put the final entry behind what came since.
    const now = await deps.jobs.getJob(claimed.jobId);
    if (now === undefined || !isHeld(now, claimed, invocation)) return undefined;
    if (!view.endsInWork) return giveUp(deps, { job: claimed, invocation, view }, agent);
  }

  const loaded = await loadJob(deps, invocation, look);
  if (loaded === undefined) return undefined;
  const { job, view } = loaded;
  const held = { job, invocation, totals: view.totals, hasChildren: hasOpenChildren(view) };
  if (view.ended !== undefined) return endAsRecorded(deps, held, view.ended);
  // A worker that died between a page and its reset of the count has left a count that is too high.
  if (job.crashes > 1 && view.endsInWork)
    await deps.jobs.updateJob(
      job.jobId,
      countCrashes({ epoch: job.epoch, owner: invocation.id }, 1),
    );
  if (job.crashes > 0 && !(await fence(deps, loaded, agent))) return claimed;
  const isLate = deps.clock.now() >= job.deadlineAt;
  if (job.cancelRequestedAt !== undefined) {
    // Past its deadline a job runs no code of its agent any more, not even the clean-up: it could wait for ever.
    return isLate
      ? cancelFenced(deps, held, view.lastSeq)
      : cancelAgent(deps, invocation, loaded, agent);
  }
  if (isLate) {
    const message = `the job reached its limit of ${agent.limits.maxDurationMs} ms (limits.maxDuration of the agent)`;
    return failFenced(deps, held, limitFailure('duration_exceeded', message, job), view.lastSeq);
  }
  if (job.paused === true) {
    const hold = { epoch: job.epoch, owner: invocation.id };
    return letGo(deps, look, invocation, returnPaused(hold, deps.clock.now()));
  }
  if ((job.hops ?? 0) >= LIMITS.maxHops) {
    const message = `${LIMITS.maxHops} time slices in a row ended without recording anything: let the agent record its work in steps`;
    return failFenced(deps, held, limitFailure('hops_exceeded', message, job), view.lastSeq);
  }
  return runAgent(deps, invocation, loaded, agent);
}

/** A job that killed every environment it ran in ends here, with the step that was running then. */
async function giveUp(
  deps: EngineDeps,
  { job, invocation, view }: { job: Job; invocation: Invocation; view: JournalView },
  agent: Agent,
): Promise<Job | undefined> {
  // Whether it has sub-jobs, the end of the journal does not tell.
  const held = { job, invocation, totals: view.totals, hasChildren: true };
  if (view.ended !== undefined) return endAsRecorded(deps, held, view.ended);
  const during =
    view.startedStep === undefined ? '' : ` during step ${JSON.stringify(view.startedStep)}`;
  const message =
    `the job's worker died ${job.crashes} times in a row${during} (limits.maxAttempts of the agent is ${agent.limits.maxAttempts}): ` +
    'it ran out of memory, blocked the event loop, exited, or the infrastructure failed each time';
  return failFenced(
    deps,
    held,
    limitFailure('attempts_exhausted', message, job, view.startedStep),
    view.lastSeq,
  );
}

/** Writes the final entry, which fences off every earlier owner, and then the final status. */
async function failFenced(
  deps: EngineDeps,
  held: HeldJob,
  failure: Failure,
  lastSeq: number,
): Promise<Job | undefined> {
  const { job } = held;
  const entry = failureEntry(failure, job, deps.clock.now());
  const isStored = await appendFinal(deps, held, { entry, lastSeq });
  return isStored ? done(fail(deps, held, failure)) : job;
}

async function cancelFenced(
  deps: EngineDeps,
  held: HeldJob,
  lastSeq: number,
): Promise<Job | undefined> {
  const { job } = held;
  const entry = { type: 'job.cancelled', at: deps.clock.now(), attempt: job.epoch } as const;
  const isStored = await appendFinal(deps, held, { entry, lastSeq });
  return isStored ? done(endCancelled(deps, held)) : job;
}

/** False: somebody else's page was there first, and the history must be read again. */
async function appendFinal(
  deps: EngineDeps,
  { job, totals }: HeldJob,
  { entry, lastSeq }: { entry: JournalEntry; lastSeq: number },
): Promise<boolean> {
  const { jobId, generation, expiresAtSeconds } = job;
  const page = { jobId, generation, seq: lastSeq + 1, entries: [entry], totals, expiresAtSeconds };
  return (await deps.jobs.appendPage(page)) === 'appended';
}

/** A final entry decides, whatever else is set: the worker that wrote it died before the final write. */
async function endAsRecorded(
  deps: EngineDeps,
  held: HeldJob,
  ended: NonNullable<LoadedJob['view']['ended']>,
): Promise<undefined> {
  if (ended.type === 'job.cancelled') return done(endCancelled(deps, held));
  return done(fail(deps, held, { error: ended.error, deadLetter: ended.deadLettered }));
}

/** An agent that this deployment does not have may come back with the next one: its jobs wait. */
async function waitForAgent(
  deps: EngineDeps,
  invocation: Invocation,
  job: Job,
): Promise<Job | undefined> {
  const { jobId, tenantId, agent, deadlineAt, epoch, wakeups } = job;
  const now = deps.clock.now();
  deps.telemetry.count('AgentMissing', 1, { agent });
  deps.telemetry.log('error', 'the job waits: its agent is not in the registry', {
    jobId,
    tenantId,
    agent,
  });
  // Without its agent the job can obey no command; those stand in its item until the agent is back.
  const hold = { epoch, owner: invocation.id, wakeups, obeying: true };
  const wait = {
    reason: 'agent_missing',
    wakeAt: now + AGENT_MISSING_RETRY_MS,
    deadlineAt,
    now,
  } as const;
  return letGo(deps, { job }, invocation, suspend(hold, wait));
}

/** Refused although the job is still held: a command or a wake-up came meanwhile, and it is looked at again. */
async function letGo(
  deps: EngineDeps,
  { job: claimed }: Pick<Look, 'job'>,
  invocation: Invocation,
  update: JobUpdate,
): Promise<Job | undefined> {
  const { applied, job } = await deps.jobs.updateJob(claimed.jobId, update);
  return !applied && job !== undefined && isHeld(job, claimed, invocation) ? job : undefined;
}

/** Also after a claim that failed: its answer may be what was lost. Counts like a crash, so that it cannot go round for ever. */
async function handBack(deps: EngineDeps, invocation: Invocation, jobId: string): Promise<boolean> {
  try {
    await deps.jobs.updateJob(jobId, reclaim(invocation.id, deps.clock.now()));
    return true;
  } catch (error) {
    deps.telemetry.log('error', 'the job could not be handed back', { jobId, error });
    return false;
  }
}

async function done(work: Promise<unknown>): Promise<undefined> {
  await work;
  return undefined;
}
