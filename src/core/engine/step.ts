import type { StepContext, StepOptions } from '../../agent/context.ts';
import { durationMs } from '../../agent/duration.ts';
import type { Job } from '../job/job.ts';
import type { JournalEntry } from '../job/journal.ts';
import { outcomeKey } from '../job/payload-keys.ts';
import type { StoredValue } from '../job/stored-value.ts';
import { backoffDelayMs } from '../policy/backoff.ts';
import { stepsBound } from '../policy/job-limits.ts';
import { toJson } from './json-value.ts';
import { recordOf } from './journal-view.ts';
import { storePayload } from './payload.ts';
import type { Limit, RunState } from './run-state.ts';
import { runTry, type Try, type TryResult } from './run-try.ts';
import { type ResolvedStepOptions, resolveStepOptions } from './step-options.ts';
import { isOfCleanUp } from './clean-up.ts';
import { settleOutcome } from './settle-outcome.ts';
import { isTerminal, readableError, storeError } from './stored-error.ts';

/**
 * Runs a step until the journal holds its outcome, and gives that outcome: the same in the first run and in every replay.
 * The loop goes by the journal alone, so it does not matter who wrote what is there.
 */
export async function runStep(
  run: RunState,
  stepId: string,
  fn: (step: StepContext) => unknown,
  options: StepOptions,
): Promise<unknown> {
  const { sliceMs } = run.invocation;
  const resolved = resolveStepOptions(stepId, options, { sliceMs, ...run.agent.limits });
  for (;;) {
    const record = run.view.steps.get(stepId);
    if (record?.outcome !== undefined) return settleOutcome(run, stepId, record.outcome);
    await run.waitUntil(record?.retryAt ?? 0, 'retry');
    await untilStartable(run, stepId, resolved.timeoutMs);
    await run.activity.run(() => tryOnce(run, stepId, fn, resolved));
  }
}

/** Lets a step start only where it has time to end; what a limit forbids ends the run. */
async function untilStartable(run: RunState, stepId: string, timeoutMs: number): Promise<void> {
  const now = run.deps.clock.now();
  const limit = run.timeLimit(now) ?? stepsLimit(run, stepId);
  if (limit !== undefined) return run.never(limit);
  const { sliceEndsAt, shouldYield } = run.invocation;
  // The first step of a slice always starts: else a step that takes nearly a slice would never find enough time.
  if (run.startedSteps === 0) return;
  const yields = shouldYield();
  if (yields) run.deps.telemetry.count('EarlyYields', 1, { agent: run.job.agent });
  if (yields || now + timeoutMs > sliceEndsAt) await run.activity.park({ reason: 'slice' });
}

/** Counts a new step from the moment when it may start, so that branches side by side do not all find the last place free. */
function stepsLimit(run: RunState, stepId: string): Limit | undefined {
  const { value: maxSteps, of } = stepsBound(run.job, run.agent);
  if (run.view.steps.has(stepId) || run.newSteps.has(stepId)) return undefined;
  if (run.newSteps.size + recordedSteps(run) < maxSteps) {
    run.newSteps.add(stepId);
    return undefined;
  }
  const message = `step ${JSON.stringify(stepId)} would be one more than the limit of ${maxSteps} steps (limits.maxSteps of the ${of})`;
  return { kind: 'limit', code: 'steps_exceeded', message };
}

/** A job that has used up its steps must still be able to clean up: those count by themselves. */
function recordedSteps({ view, obeying }: RunState): number {
  if (!obeying) return view.steps.size;
  return [...view.steps.keys()].filter(isOfCleanUp).length;
}

async function tryOnce(
  run: RunState,
  stepId: string,
  fn: (step: StepContext) => unknown,
  options: ResolvedStepOptions,
): Promise<void> {
  const { clock, ids } = run.deps;
  const number = (run.view.steps.get(stepId)?.failedTries ?? 0) + 1;
  const attempt = run.job.epoch;
  if (run.startedSteps === 0 && run.view.steps.size > 0) {
    const { agent } = run.job;
    run.deps.telemetry.measure('ReplayMs', clock.now() - run.startedAt, { agent });
  }
  run.startedSteps++;
  if (run.afterCrash)
    await run.journal.append({
      type: 'step.started',
      at: clock.now(),
      attempt,
      stepId,
      try: number,
    });
  const startedAt = clock.now();
  const one: Try = {
    stepId,
    number,
    idempotencyKey: ids.deriveId('step', ...identityOf(run.job, stepId)),
    timeoutMs: options.timeoutMs,
    fn,
  };
  const result = await runTry(run, one);
  const entry = await entryOf(run, one, result, { startedAt, options });
  await run.journal.append(entry);
  run.newSteps.delete(stepId);
}

/** Another cancel, after a user retry, is another clean-up: what it does is not what was done then. */
function identityOf({ jobId, generation }: Job, stepId: string): string[] {
  return isOfCleanUp(stepId) ? [jobId, stepId, String(generation)] : [jobId, stepId];
}

async function entryOf(
  run: RunState,
  one: Try,
  result: TryResult,
  taken: { startedAt: number; options: ResolvedStepOptions },
): Promise<JournalEntry> {
  const at = run.deps.clock.now();
  const durationMs = at - taken.startedAt;
  run.deps.telemetry.measure('StepMs', durationMs, { agent: run.job.agent });
  const base = { at, attempt: run.job.epoch, stepId: one.stepId, try: one.number, durationMs };
  if (result.kind === 'threw')
    return { ...base, type: 'step.failed', ...failure(run, one, result.error, taken.options) };
  let json: string;
  try {
    json = toJson(result.value);
  } catch (error) {
    // A getter of the outcome may throw anything.
    const thrown = readableError(error);
    return { ...base, type: 'step.failed', ...failure(run, one, thrown, taken.options) };
  }
  const { jobId, tenantId, generation, epoch } = run.job;
  const key = (): string =>
    outcomeKey(
      { tenantId, jobId, generation, stepId: one.stepId, epoch, try: one.number },
      (text) => run.deps.ids.sha256(text),
    );
  const stored = await run.guard(storeOutcome(run, json, key));
  if (stored.kind === 'refused')
    return { ...base, type: 'step.failed', ...failure(run, one, stored.error, taken.options) };
  return { ...base, type: 'step.succeeded', outcome: stored.value };
}

type StoreResult = { kind: 'stored'; value: StoredValue } | { kind: 'refused'; error: unknown };

async function storeOutcome(run: RunState, json: string, key: () => string): Promise<StoreResult> {
  try {
    const value = await storePayload(run.deps.payloads, json, key);
    if (value.kind !== 'inline') run.payloadCache.set(value, json);
    return { kind: 'stored', value };
  } catch (error) {
    if (isTerminal(error)) return { kind: 'refused', error };
    throw error;
  }
}

/** A failed try: with the time of the next one while tries are left, else it is the step's outcome. */
function failure(
  run: RunState,
  one: Try,
  thrown: unknown,
  options: ResolvedStepOptions,
): { error: ReturnType<typeof storeError>; retryAt?: number } {
  const error = storeError(thrown);
  const failedTries = recordOf(run.view, one.stepId).failedTries + 1;
  if (isTerminal(thrown) || failedTries > options.retries) return { error };
  const delayMs =
    askedDelayMs(thrown) ?? backoffDelayMs(failedTries, options.backoff, run.deps.ids.random());
  return { error, retryAt: run.deps.clock.now() + delayMs };
}

/** No job lives longer, so what asks for more asks for its end. */
const LONGEST_DELAY_MS = durationMs('400d');

/** Errors of other libraries have the field, too, and what they compute of a header that is not there is no number. */
function askedDelayMs(thrown: unknown): number | undefined {
  const asked = (thrown as { retryAfterMs?: unknown } | null | undefined)?.retryAfterMs;
  if (typeof asked !== 'number' || !Number.isFinite(asked) || asked < 0) return undefined;
  return Math.min(Math.ceil(asked), LONGEST_DELAY_MS);
}
