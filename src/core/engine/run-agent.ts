import type { Agent } from '../../agent/define-agent.ts';
import { AppError } from '../../errors.ts';
import type { Job } from '../job/job.ts';
import type { JournalPage } from '../job/journal.ts';
import { continueLater, forgetCrashes, type Hold, suspend } from '../job/transitions.ts';
import { MAX_QUEUE_DELAY_MS } from '../policy/limits.ts';
import type { JobHint } from '../ports/job-queue.ts';
import { createContext } from './agent-context.ts';
import { fail, failureEntry, succeed, withProgress } from './end-job.ts';
import type { EngineDeps, Invocation } from './engine-deps.ts';
import { fromJson, toJson } from './json-value.ts';
import { JournalWriter } from './journal-writer.ts';
import { isHeld, type LoadedJob } from './load-job.ts';
import { checkAgainst, failureOf, limitFailure, type Failure } from './outcome.ts';
import { type Interruption, RunState } from './run-state.ts';

type Settled =
  | { readonly kind: 'returned'; readonly json: string }
  | { readonly kind: 'threw'; readonly error: unknown };

/**
 * Replays the agent's `run` from the top and carries it on until it settles or the slice is interrupted, then writes down
 * where the job stands. Answers the job when it must be looked at again: something woke it meanwhile.
 */
export async function runAgent(
  deps: EngineDeps,
  invocation: Invocation,
  loaded: LoadedJob,
  agent: Agent,
): Promise<Job | undefined> {
  const { job, view } = loaded;
  const run = new RunState(deps, invocation, { job, agent, view });
  run.journal = createJournal(run);
  const settled = settle(run, loaded.inputJson);
  const ended = await Promise.race([settled, run.interrupted]);
  run.end();
  switch (ended.kind) {
    case 'returned':
      return conclude(run, (held) => succeed(deps, held, ended.json));
    case 'threw':
      return concludeFailed(run, failureOf(run, ended.error));
    case 'limit':
      return concludeFailed(run, limitFailure(ended.code, ended.message, job));
    case 'suspend':
    case 'continue':
      return letGo(run, ended);
    case 'lost':
      deps.telemetry.count('LeasesLost', 1, { agent: job.agent });
      run.journal.close();
      return undefined;
    case 'fault':
      run.journal.close();
      throw ended.error;
  }
}

async function settle(run: RunState, inputJson: string): Promise<Settled> {
  try {
    const input = await checkAgainst(run.agent.input, fromJson(inputJson), {
      code: 'invalid_input',
      what: 'the input',
    });
    const result = await run.agent.run(createContext(run), input);
    if (run.openSteps.size > 0 && !run.hasEnded) throw leftBehind(run);
    const checked = await checkAgainst(run.agent.output, result, {
      code: 'result_invalid',
      what: 'the result',
    });
    return { kind: 'returned', json: toJson(checked) };
  } catch (error) {
    return { kind: 'threw', error };
  }
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
  return new JournalWriter(run.deps, { jobId, generation, attempt, expiresAtSeconds }, run.view, {
    stillMine: async () => {
      const now = await run.deps.jobs.getJob(jobId);
      return (
        now !== undefined && now.generation === generation && isHeld(now, run.job, run.invocation)
      );
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
    onPage: (page) => {
      noteProgress(run, page);
    },
  });
}

/** The first page of work after a crash ends the count of crashes in a row. */
function noteProgress(run: RunState, page: JournalPage): void {
  if (!run.afterCrash || page.entries.every((entry) => entry.type === 'step.started')) return;
  run.afterCrash = false;
  const { jobId } = run.job;
  run.deps.jobs.updateJob(jobId, forgetCrashes(holdOf(run))).catch((error: unknown) => {
    run.deps.telemetry.log('warn', 'the count of crashes could not be reset', { jobId, error });
  });
}

async function conclude(
  run: RunState,
  end: (held: {
    job: Job;
    invocation: Invocation;
    totals: RunState['view']['totals'];
  }) => Promise<void>,
): Promise<undefined> {
  // Lost or failed meanwhile: the sweeper, or whoever has the job now, sees to it.
  if (!(await run.journal.drained())) return undefined;
  const totals = withProgress(run.view.totals, run.journal.takeProgress());
  run.journal.close();
  await end({ job: run.job, invocation: run.invocation, totals });
  return undefined;
}

async function concludeFailed(run: RunState, failure: Failure): Promise<undefined> {
  // The entry is in the journal, or the job is not ours, once the journal is drained.
  void run.journal.append(failureEntry(failure, run.job, run.deps.clock.now()));
  return conclude(run, (held) => fail(run.deps, held, failure));
}

/** Gives the job up: until a timer or a wake-up, or at once to another invocation. */
async function letGo(
  run: RunState,
  ended: Extract<Interruption, { kind: 'suspend' | 'continue' }>,
): Promise<Job | undefined> {
  if (!(await run.journal.drained())) return undefined;
  run.journal.close();
  const { deps, job } = run;
  const now = deps.clock.now();
  const hold = { ...holdOf(run), wakeups: job.wakeups };
  const update =
    ended.kind === 'continue'
      ? continueLater(hold, now)
      : suspend(hold, { reason: ended.reason, deadlineAt: job.deadlineAt, now, ...timer(ended) });
  const { applied, job: after } = await deps.jobs.updateJob(job.jobId, update);
  if (!applied)
    return after !== undefined && isHeld(after, job, run.invocation) ? after : undefined;
  await sendHint(run, ended, now);
  return undefined;
}

function timer(ended: { readonly wakeAt?: number }): { wakeAt?: number } {
  return ended.wakeAt === undefined ? {} : { wakeAt: ended.wakeAt };
}

/** A refused hint is made good by the sweeper. */
async function sendHint(
  run: RunState,
  ended: Extract<Interruption, { kind: 'suspend' | 'continue' }>,
  now: number,
): Promise<void> {
  const { jobId, tenantId, traceparent } = run.job;
  const delayMs = ended.kind === 'continue' ? 0 : (ended.wakeAt ?? Infinity) - now;
  if (delayMs > MAX_QUEUE_DELAY_MS) return;
  const hint: JobHint = {
    v: 1,
    jobId,
    tenantId,
    reason: ended.kind === 'continue' ? 'continued' : 'woken',
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  try {
    await run.deps.queue.send(hint, { delaySeconds: Math.max(0, Math.ceil(delayMs / 1_000)) });
  } catch (error) {
    run.deps.telemetry.log('warn', 'the hint was refused; the sweeper will send it', {
      jobId,
      tenantId,
      error,
    });
  }
}

function holdOf(run: RunState): Hold {
  return { epoch: run.job.epoch, owner: run.invocation.id };
}
