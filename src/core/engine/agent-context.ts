import type { StandardSchemaV1 } from '@standard-schema/spec';
import type {
  AgentContext,
  ChildHandle,
  Scope,
  SignalOptions,
  StepContext,
  StepOptions,
} from '../../agent/context.ts';
import { type Duration, durationMs } from '../../agent/duration.ts';
import { AppError } from '../../errors.ts';
import { joinChildren, spawnChild } from './children.ts';
import { itemScope, type ItemWork, mapItems } from './map.ts';
import { createLog, reportProgress } from './reports.ts';
import type { RunState } from './run-state.ts';
import { runningStep } from './running-step.ts';
import { runStep } from './step.ts';
import { recordOf } from './journal-view.ts';
import { claimId, scopedId } from './step-id.ts';
import { waitForSignal } from './wait-for-signal.ts';

/** The context an agent's `run` gets. */
export function createContext(run: RunState, path = ''): AgentContext {
  const { jobId, tenantId, epoch, hints } = run.job;
  return {
    ...createScope(run, path),
    jobId,
    tenantId,
    attempt: epoch,
    hints: hints ?? [],
    join: createJoin(run),
    progress: (progress) => {
      reportProgress(run, progress);
    },
    log: createLog(run),
  };
}

function createJoin(run: RunState): AgentContext['join'] {
  const join = (
    handles: readonly ChildHandle[],
    options: { onFailure?: 'fail' | 'collect' } = {},
  ) => {
    const outcome = (async () => {
      refuseNested(run, 'join');
      return joinChildren(run, handles, options.onFailure ?? 'fail');
    })();
    outcome.catch(() => undefined);
    return outcome;
  };
  return join as AgentContext['join'];
}

function createScope(run: RunState, path: string): Scope {
  return {
    step: <T>(id: string, fn: (step: StepContext) => T | Promise<T>, options: StepOptions = {}) => {
      return begin(run, path, id, (stepId) => runStep(run, stepId, fn, options)) as Promise<T>;
    },
    sleep: (id, durationOrUntil) =>
      inScope(run, path, id, (stepId) => sleep(run, stepId, durationOrUntil)),
    waitForSignal: <Schema extends StandardSchemaV1>(id: string, options: SignalOptions<Schema>) =>
      inScope(run, path, id, (stepId) => waitForSignal(run, stepId, options.name ?? id, options)),
    spawn: (id, agent, input, options = {}) =>
      begin(run, path, id, (stepId) => spawnChild(run, { stepId, agent, input, options })),
    map: <T, R>(
      id: string,
      items: readonly T[],
      options: { concurrency?: number },
      fn: ItemWork<T, R>,
    ) =>
      inScope(run, path, id, (scope) =>
        mapItems(items, options, async (item, index) =>
          fn(item, createScope(run, itemScope(scope, index)), index),
        ),
      ),
    scope: <T>(id: string, fn: (scope: Scope) => T | Promise<T>) =>
      inScope(run, path, id, async (scope) => fn(createScope(run, scope))),
  };
}

/**
 * Claims the id and does the work; whoever ends `run` meanwhile is told of it. Not so of what only waits: the sleep that a race
 * was lost by is given up, and nothing is lost with it.
 */
function begin<T>(
  run: RunState,
  path: string,
  id: string,
  work: (stepId: string) => Promise<T>,
): Promise<T> {
  return inScope(run, path, id, async (stepId) => {
    run.openSteps.add(stepId);
    try {
      return await work(stepId);
    } finally {
      run.openSteps.delete(stepId);
    }
  });
}

/** Claims the id; in a run that was interrupted nothing begins any more, and the agent is not told. */
function inScope<T>(
  run: RunState,
  path: string,
  id: string,
  work: (scoped: string) => Promise<T>,
): Promise<T> {
  if (run.wasInterrupted) return new Promise(() => undefined);
  const outcome = (async () => work(claim(run, path, id)))();
  // What nobody awaits must not take the environment down as an unhandled rejection; whoever awaits it still sees the error.
  outcome.catch(() => undefined);
  return outcome;
}

function claim(run: RunState, path: string, id: string): string {
  if (run.hasEnded) {
    throw new AppError(
      `${JSON.stringify(id)} was started after run had ended: await everything that run starts`,
      {
        code: 'step_after_end',
        details: { stepId: id },
      },
    );
  }
  const scoped = scopedId(path, id);
  refuseNested(run, scoped);
  claimId(run.usedIds, scoped);
  return scoped;
}

/** What a step starts would be missing in every replay, which takes the step's outcome and does not run it. */
function refuseNested(run: RunState, scoped: string): void {
  const outer = runningStep(run);
  if (outer === undefined) return;
  throw new AppError(
    `${JSON.stringify(scoped)} was started inside the step ${JSON.stringify(outer.stepId)}: a step holds no other durable operation; start it after that step, or next to it in a scope`,
    { code: 'step_nested', details: { stepId: scoped, inside: outer.stepId } },
  );
}

/** 400 days: no job lives longer. */
const MAX_SLEEP_MS = 34_560_000_000;

/** NaN for what is neither, which an author without types may pass. */
function instantOf(durationOrUntil: unknown, now: number): number {
  if (typeof durationOrUntil === 'string') return now + durationMs(durationOrUntil as Duration);
  const { getTime } = Object(durationOrUntil) as Partial<Date>;
  return typeof getTime === 'function' ? getTime.call(durationOrUntil as Date) : NaN;
}

/** The instant is recorded when the sleep begins: a replay waits for the same one. */
async function sleep(
  run: RunState,
  stepId: string,
  durationOrUntil: Duration | Date,
): Promise<void> {
  const recorded = run.view.steps.get(stepId)?.sleepUntil;
  if (recorded !== undefined) return sleepUntil(run, stepId, recorded);
  const at = run.now();
  const until = instantOf(durationOrUntil, at);
  if (!(until - at <= MAX_SLEEP_MS)) {
    throw new AppError(
      `sleep ${JSON.stringify(stepId)} ends at ${String(durationOrUntil)}: give a duration such as '10m', or a valid Date, within 400 days`,
      { code: 'invalid_duration', details: { stepId } },
    );
  }
  const entry = { type: 'sleep.started', at, attempt: run.job.epoch, stepId, until } as const;
  await run.activity.run(() => run.journal.append(entry));
  await sleepUntil(run, stepId, until);
}

/** Ends after whatever was settled before its time, and before whatever was settled later, as it will in a replay. */
async function sleepUntil(run: RunState, stepId: string, until: number): Promise<void> {
  while (run.now() < until) await run.waitUntil(until, 'sleep');
  await run.activity.run(() => run.journal.settledUntil(until));
  await run.turnOf({ at: until, order: recordOf(run.view, stepId).order ?? 0 });
}
