import type { Agent } from '../../agent/define-agent.ts';
import { AppError } from '../../errors.ts';
import type { Job } from '../job/job.ts';
import type { JournalPage } from '../job/journal.ts';
import { continueLater, countCrashes, type Hold, suspend } from '../job/transitions.ts';
import { LIMITS, MAX_QUEUE_DELAY_MS } from '../policy/limits.ts';
import { createContext } from './agent-context.ts';
import { CLEAN_UP_SCOPE } from './clean-up.ts';
import {
  cancelledEntry,
  type CleanUpFailure,
  endCancelled,
  fail,
  failureEntry,
  type HeldJob,
  succeed,
} from './end-job.ts';
import type { EngineDeps, Invocation } from './engine-deps.ts';
import { fromJson, toJson } from './json-value.ts';
import { JournalWriter } from './journal-writer.ts';
import { isHeld, type LoadedJob } from './load-job.ts';
import { checkAgainst, failureOf, limitFailure, type Failure } from './outcome.ts';
import { type Interruption, RunState, type RunSubject } from './run-state.ts';
import { hasOpenChildren, withProgress } from './journal-view.ts';
import { checkPayloadSize, referenceOf } from './payload.ts';
import { readableError } from './stored-error.ts';
import { sendHint } from './send-hint.ts';
import { hintAt } from '../notify/announce.ts';
import { publishOnTheWay } from '../notify/publish-change.ts';
import { putWaits } from './announce-waits.ts';

type Settled =
  | { readonly kind: 'returned'; readonly json: string }
  | { readonly kind: 'threw'; readonly error: unknown };

/**
 * Replays the agent's `run` from the top and carries it on until it settles or the slice is interrupted, then writes down
 * where the job stands. Answers the job when it must be looked at again: something came up meanwhile.
 */
export async function runAgent(
  deps: EngineDeps,
  invocation: Invocation,
  loaded: LoadedJob,
  agent: Agent,
): Promise<Job | undefined> {
  const run = startRun(deps, invocation, { ...loaded, agent, obeying: false });
  const payloadRef = referenceOf(loaded.job.input);
  deps.telemetry.log('debug', 'replay began', { payloadRef, payload: loaded.inputJson });
  const ended = await endOf(run, settle(run, loaded.inputJson));
  switch (ended.kind) {
    case 'returned':
      return conclude(run, (held) => succeed(deps, held, ended.json));
    case 'threw':
      return concludeFailed(run, failureOf(run, ended.error));
    case 'limit':
      return concludeFailed(run, limitFailure(ended.code, ended.message, run.job));
    default:
      return leave(run, ended);
  }
}

/** Runs the agent's clean-up after a cancel, durably like `run`; however it ends, the job is cancelled then. */
export async function cancelAgent(
  deps: EngineDeps,
  invocation: Invocation,
  loaded: LoadedJob,
  agent: Agent,
): Promise<Job | undefined> {
  const run = startRun(deps, invocation, { ...loaded, agent, obeying: true });
  const ended = await endOf(run, cleanUp(run, loaded.inputJson));
  switch (ended.kind) {
    case 'threw':
      return concludeCancelled(run, ended);
    case 'limit':
      return concludeCancelled(run, { error: new AppError(ended.message, { code: ended.code }) });
    case 'returned':
      return concludeCancelled(run);
    default:
      return leave(run, ended);
  }
}

function startRun(deps: EngineDeps, invocation: Invocation, subject: RunSubject): RunState {
  const run = new RunState(deps, invocation, subject);
  run.journal = createJournal(run);
  return run;
}

async function endOf(run: RunState, settled: Promise<Settled>): Promise<Settled | Interruption> {
  const { attention } = run.invocation;
  const { jobId } = run.job;
  attention.set(jobId, () => {
    void run.guard(run.refresh());
  });
  const ended = await Promise.race([settled, run.interrupted]);
  attention.delete(jobId);
  run.end();
  return ended;
}

async function settle(run: RunState, inputJson: string): Promise<Settled> {
  try {
    const input = await inputOf(run, inputJson);
    const result = await run.agent.run(createContext(run), input);
    if (run.openSteps.size > 0 && !run.hasEnded) throw leftBehind(run);
    const refusal = { code: 'result_invalid', what: 'the result' } as const;
    const json = toJson(await checkAgainst(run.agent.output, result, refusal));
    // Here and not when it is stored: it is the agent's fault, and another attempt would find the same.
    checkPayloadSize(json);
    return { kind: 'returned', json };
  } catch (error) {
    return { kind: 'threw', error: readableError(error) };
  }
}

async function cleanUp(run: RunState, inputJson: string): Promise<Settled> {
  try {
    await run.agent.onCancel?.(createContext(run, CLEAN_UP_SCOPE), await inputOf(run, inputJson));
    return { kind: 'returned', json: '' };
  } catch (error) {
    return { kind: 'threw', error: readableError(error) };
  }
}

function inputOf(run: RunState, inputJson: string): Promise<unknown> {
  const refusal = { code: 'invalid_input', what: 'the input' } as const;
  return checkAgainst(run.agent.input, fromJson(inputJson), refusal);
}

function leftBehind(run: RunState): AppError {
  const open = [...run.openSteps].slice(0, 5);
  return new AppError(
    `run returned while steps were under way (${open.join(', ')}): await every step that it starts`,
    {
      code: 'step_after_end',
      details: { stepIds: open },
    },
  );
}

function createJournal(run: RunState): JournalWriter {
  const { jobId, generation, epoch: attempt, expiresAtSeconds, agent } = run.job;
  const agentVersion = run.agent.version;
  const target = { jobId, generation, attempt, agentVersion, expiresAtSeconds };
  return new JournalWriter(run.deps, target, run.view, {
    stillMine: async () => {
      const now = await run.deps.jobs.getJob(jobId);
      if (now?.generation !== generation || !isHeld(now, run.job, run.invocation)) return false;
      // An entry of a command only says: look at the job. Its fields decide.
      run.meetCommands(now);
      return true;
    },
    onLost: () => {
      run.interrupt({ kind: 'lost' });
    },
    onFault: (error) => {
      run.interrupt({ kind: 'fault', error });
    },
    onConflict: () => {
      run.deps.telemetry.count('JournalConflicts', 1, { agent });
    },
    isReleasing: () => !run.hasEnded && run.releases.isReleasing,
    onPage: (page) => {
      noteProgress(run, page);
      limitJournal(run, page);
    },
  });
}

/** The first page of work after a crash ends the count of crashes in a row. */
function noteProgress(run: RunState, page: JournalPage): void {
  run.pages++;
  if (!run.afterCrash || page.entries.every((entry) => entry.type === 'step.started')) return;
  run.afterCrash = false;
  const { jobId } = run.job;
  const reset = run.deps.jobs.updateJob(jobId, countCrashes(holdOf(run), 0));
  run.crashesCounted = reset.then(
    () => undefined,
    (error: unknown) => {
      run.deps.telemetry.log('warn', 'the count of crashes could not be reset', { error });
    },
  );
}

/** What a job records must fit into the memory of each worker that replays it. */
function limitJournal(run: RunState, { totals: { journalBytes = 0 } }: JournalPage): void {
  if (journalBytes <= LIMITS.journalBytes) return;
  const message = `the journal has ${journalBytes} bytes: the limit is ${LIMITS.journalBytes}; let steps return references, or spread the work over sub-jobs`;
  run.interrupt({ kind: 'limit', code: 'journal_too_large', message });
}

/**
 * Whether all that was pending is stored. If not, the job is lost, and whoever has it sees to it; or the store failed, which is
 * thrown, so that the job is handed back and not left to the end of this invocation.
 */
async function isWritten(run: RunState, written: Promise<boolean>): Promise<boolean> {
  const isStored = await written;
  if (!isStored && run.fault !== undefined) return handBack(run, run.fault.error);
  return isStored;
}

/** Whoever gets the error puts the job back as after a crash: the count must have been reset by then, or the reset is refused. */
async function handBack(run: RunState, error: unknown): Promise<never> {
  await run.crashesCounted;
  throw error;
}

async function conclude(run: RunState, end: (held: HeldJob) => Promise<void>): Promise<undefined> {
  if (!(await isWritten(run, run.journal.drained()))) return undefined;
  const totals = withProgress(run.view.totals, run.journal.takeProgress());
  run.journal.close();
  const { job, invocation, view } = run;
  const hasChildren = hasOpenChildren(view);
  await end({ job, invocation, totals, keptSteps: view.keptSteps, hasChildren });
  return undefined;
}

async function concludeFailed(run: RunState, failure: Failure): Promise<undefined> {
  // The entry is in the journal, or the job is not ours, once the journal is drained.
  void run.journal.append(failureEntry(failure, run.job, run.deps.clock.now()));
  return conclude(run, (held) => fail(run.deps, held, failure));
}

async function concludeCancelled(run: RunState, failed?: CleanUpFailure): Promise<undefined> {
  const { deps, job } = run;
  if (failed !== undefined) {
    deps.telemetry.log('error', 'the clean-up after a cancel failed', { error: failed.error });
  }
  void run.journal.append(cancelledEntry(job, deps.clock.now(), failed));
  return conclude(run, (held) => endCancelled(deps, held));
}

/** The run did not settle: the job is given up for now, looked at again, or lost. */
async function leave(
  run: RunState,
  ended: Exclude<Interruption, { kind: 'limit' }>,
): Promise<Job | undefined> {
  switch (ended.kind) {
    case 'lost':
      run.deps.telemetry.count('LeasesLost', 1, { agent: run.job.agent });
      run.journal.close();
      return undefined;
    case 'fault':
      run.journal.close();
      return handBack(run, ended.error);
    case 'obey':
      if (!(await isWritten(run, run.journal.flush()))) return undefined;
      run.journal.close();
      return { ...run.job, wakeups: run.wakeups };
    case 'suspend':
    case 'continue':
      return letGo(run, ended);
  }
}

/** Gives the job up: until a timer or a wake-up, or at once to another invocation. */
async function letGo(
  run: RunState,
  ended: Extract<Interruption, { kind: 'suspend' | 'continue' }>,
): Promise<Job | undefined> {
  if (!(await isWritten(run, run.journal.flush()))) return undefined;
  run.journal.close();
  const { deps, job } = run;
  const now = deps.clock.now();
  const hold = { ...holdOf(run), wakeups: run.wakeups, obeying: run.obeying };
  const update =
    ended.kind === 'continue'
      ? continueLater(hold, { now, movedOn: run.pages > 0 })
      : suspend(hold, { ...ended, ...wakeOf(run, ended), deadlineAt: job.deadlineAt, now });
  const announced = ended.kind === 'suspend' ? await putWaits(run, ended.signalWaits) : [];
  const { applied, job: after } = await deps.jobs.updateJob(job.jobId, update);
  // Also when it was refused: the wait has begun, and who hears of it may be told more by the job itself.
  await hintAt(deps, announced);
  if (!applied) {
    return after !== undefined && isHeld(after, job, run.invocation) ? after : undefined;
  }
  noteRest(run, ended);
  if (ended.kind === 'suspend') {
    deps.telemetry.count('JobsSuspended', 1, { reason: ended.reason });
    await publishOnTheWay(deps, after, 'waiting');
  }
  const delayMs = ended.kind === 'continue' ? 0 : (ended.wakeAt ?? Infinity) - now;
  if (delayMs <= MAX_QUEUE_DELAY_MS) {
    const delaySeconds = Math.max(0, Math.ceil(delayMs / 1_000));
    await sendHint(deps, after, ended.kind === 'continue' ? 'continued' : 'woken', delaySeconds);
  }
  return undefined;
}

/** Where the job stands when its slice is over. */
function noteRest({ deps }: RunState, ended: Interruption): void {
  const rest =
    ended.kind === 'suspend' ? { status: 'waiting', reason: ended.reason } : { status: 'queued' };
  deps.span?.note(rest);
  deps.telemetry.log('debug', 'slice ended', rest);
}

/** Whatever a clean-up waits for, the job is looked at again when its time is over. */
function wakeOf(run: RunState, { wakeAt }: { wakeAt?: number }): { wakeAt?: number } {
  return run.obeying ? { wakeAt: Math.min(wakeAt ?? Infinity, run.endsAt) } : {};
}

function holdOf(run: RunState): Hold {
  return { epoch: run.job.epoch, owner: run.invocation.id };
}
