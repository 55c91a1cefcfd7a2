import { AppError } from '../../errors.ts';
import type { JobUpdate } from '../job/item-update.ts';
import { beginOf, type Job } from '../job/job.ts';
import { claim, countCrashes, reclaim, returnPaused, suspend } from '../job/transitions.ts';
import { cleanUpEndsAt, cleanUpExceeded } from './clean-up.ts';
import { findAgent, type Unavailable } from './deployed-agent.ts';
import { cancelFenced, endAsRecorded, failFenced, giveUp } from './end-fenced.ts';
import type { HeldJob } from './end-job.ts';
import type { EngineDeps, Invocation } from './engine-deps.ts';
import { fence, isHeld, loadJob, type LoadedJob, loadTail, type Look } from './load-job.ts';
import { limitFailure } from './outcome.ts';
import { cancelAgent, runAgent } from './run-agent.ts';
import { hasOpenChildren } from './journal-view.ts';
import { publishOnTheWay } from '../notify/publish-change.ts';
import { durationBound } from '../policy/job-limits.ts';
import { LIMITS } from '../policy/limits.ts';
import { jobFields, withFields } from '../trace/job-telemetry.ts';
import { inSliceSpan } from './slice-span.ts';

/** How often a job whose agent is not deployed is looked at again. */
const AGENT_MISSING_RETRY_MS = 300_000;

/**
 * Works on one job of an invocation: claims it, then carries it on until it ends, suspends, continues later or is lost.
 * Never throws: a failure of the infrastructure hands the job back. False when even that failed, and the job may still be
 * held in the name of this invocation.
 */
export async function runJob(
  given: EngineDeps,
  invocation: Invocation,
  jobId: string,
): Promise<boolean> {
  const messageId = invocation.messageIds?.get(jobId);
  let deps = withFields(given, { jobId, invocationId: invocation.id, messageId });
  try {
    const claimed = await claimJob(deps, invocation, jobId);
    if (claimed === undefined) return true;
    deps = withFields(deps, jobFields(claimed));
    await inSliceSpan(deps, claimed, (traced) => workOn(traced, invocation, claimed));
    return true;
  } catch (error) {
    deps.telemetry.log('error', 'the job could not go on and is handed back', { error });
    return handBack(deps, invocation, jobId);
  }
}

async function workOn(deps: EngineDeps, invocation: Invocation, claimed: Job): Promise<void> {
  const startedAt = deps.clock.now();
  const { agent, generation, crashes } = claimed;
  deps.telemetry.log('debug', 'slice began', { generation, crashes });
  const told = claimed.epoch === 1 ? publishOnTheWay(deps, claimed, 'started') : undefined;
  let job: Job | undefined = claimed;
  // Each turn is one look at the whole history; another one follows when something new came up meanwhile.
  for (let isFirstLook = true; job !== undefined; isFirstLook = false) {
    job = await advance(deps, invocation, { job, isFirstLook });
  }
  deps.telemetry.measure('SliceMs', deps.clock.now() - startedAt, { agent });
  await told;
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
  if (job.epoch === 1) {
    const { agent } = job;
    deps.telemetry.count('JobsStarted', 1, { agent });
    deps.telemetry.measure('QueueWaitMs', now - beginOf(job), { agent });
  }
  return job;
}

/** The job again when it must be looked at once more, undefined when this invocation is done with it. */
async function advance(
  deps: EngineDeps,
  invocation: Invocation,
  look: Look,
): Promise<Job | undefined> {
  const claimed = look.job;
  const deployed = findAgent(deps.agents, claimed.agent, invocation.sliceMs);
  const { agent } = deployed;
  if (agent !== undefined && claimed.crashes >= agent.limits.maxAttempts) {
    const view = await loadTail(deps, claimed);
    // Read after the pages, as in a load: whoever lost the job must not put the final entry behind what came since.
    const now = await deps.jobs.getJob(claimed.jobId);
    if (now === undefined || !isHeld(now, claimed, invocation)) return undefined;
    if (!view.endsInWork) return giveUp(deps, { job: claimed, invocation, view }, agent);
  }

  const loaded = await loadJob(deps, invocation, look);
  if (loaded === undefined) return undefined;
  const { job, view } = loaded;
  const { totals, keptSteps } = view;
  const held = { job, invocation, totals, keptSteps, hasChildren: hasOpenChildren(view) };
  if (view.ended !== undefined) return endAsRecorded(deps, held, view.ended);
  // A worker that died between a page and its reset of the count has left a count that is too high.
  if (job.crashes > 1 && view.endsInWork)
    await deps.jobs.updateJob(
      job.jobId,
      countCrashes({ epoch: job.epoch, owner: invocation.id }, 1),
    );
  if (job.crashes > 0 && !(await fence(deps, loaded, agent?.version))) return claimed;
  if (job.cancelRequestedAt !== undefined) return obeyCancel(deps, { held, loaded, deployed });
  if (deps.clock.now() >= job.deadlineAt) {
    const of = agent === undefined ? 'agent' : durationBound(job, agent).of;
    const message = `the job reached its deadline (limits.maxDuration of the ${of})`;
    return failFenced(deps, held, limitFailure('duration_exceeded', message, job), view.lastSeq);
  }
  if (job.paused === true) {
    const hold = { epoch: job.epoch, owner: invocation.id };
    return letGo(deps, look, invocation, returnPaused(hold, deps.clock.now()));
  }
  if (deployed.agent === undefined)
    return waitForAgent(deps, invocation, job, deployed.unavailable);
  if ((job.hops ?? 0) >= LIMITS.maxHops) {
    const message = `${LIMITS.maxHops} time slices in a row ended without recording anything: let the agent record its work in steps`;
    return failFenced(deps, held, limitFailure('hops_exceeded', message, job), view.lastSeq);
  }
  return runAgent(deps, invocation, loaded, deployed.agent);
}

/**
 * The clean-up, then the end. Past its time no code of the agent runs any more, since it could wait for ever; and an agent that
 * is gone must not keep a user from ending its jobs.
 */
async function obeyCancel(
  deps: EngineDeps,
  at: { held: HeldJob; loaded: LoadedJob; deployed: ReturnType<typeof findAgent> },
): Promise<Job | undefined> {
  const { held, loaded, deployed } = at;
  const { job, view } = loaded;
  const { agent } = deployed;
  if (agent === undefined)
    return cancelFenced(deps, held, view.lastSeq, noCleanUp(deployed.unavailable));
  if (deps.clock.now() < cleanUpEndsAt(job, agent))
    return cancelAgent(deps, held.invocation, loaded, agent);
  const failure = agent.onCancel === undefined ? undefined : cleanUpExceeded(job, agent);
  return cancelFenced(deps, held, view.lastSeq, failure);
}

function noCleanUp({ error }: Unavailable): AppError {
  const { code, details } = error;
  return new AppError(`no clean-up could run: ${error.message}`, { code, details });
}

/** An agent that this deployment does not have, or refuses, may come back with the next one: its jobs wait. */
async function waitForAgent(
  deps: EngineDeps,
  invocation: Invocation,
  job: Job,
  { reason, error }: Unavailable,
): Promise<Job | undefined> {
  const { agent, deadlineAt, epoch, wakeups } = job;
  const now = deps.clock.now();
  deps.telemetry.count(reason === 'agent_missing' ? 'AgentMissing' : 'AgentRefused', 1, { agent });
  deps.telemetry.log('error', `the job waits: ${error.message}`);
  deps.span?.note({ status: 'waiting', reason });
  const hold = { epoch, owner: invocation.id, wakeups, obeying: false };
  const wait = { reason, wakeAt: now + AGENT_MISSING_RETRY_MS, deadlineAt, now };
  deps.telemetry.count('JobsSuspended', 1, { reason: wait.reason });
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
    deps.telemetry.log('error', 'the job could not be handed back', { error });
    return false;
  }
}
