import type { StandardSchemaV1 } from '@standard-schema/spec';
import { AppError } from '../../errors.ts';
import { durationMs } from '../../agent/duration.ts';
import type { SignalOptions } from '../../agent/context.ts';
import type { JournalEntry } from '../job/journal.ts';
import type { ReceivedSignal } from '../job/signal.ts';
import { fromJson } from './json-value.ts';
import { signalKey } from './journal-view.ts';
import { checkAgainst } from './outcome.ts';
import type { RunState } from './run-state.ts';
import { settleOutcome } from './settle-outcome.ts';
import { storeError } from './stored-error.ts';
import { readStored } from './payload.ts';

/**
 * Waits until the journal holds an outcome of this wait: a signal that fits, or its end. Signals are taken oldest first;
 * one that was there before the wait counts, and each is taken once.
 */
export async function waitForSignal(
  run: RunState,
  stepId: string,
  name: string,
  options: SignalOptions<StandardSchemaV1>,
): Promise<unknown> {
  checkName(stepId, name);
  for (;;) {
    const record = run.view.steps.get(stepId);
    if (record?.outcome !== undefined) {
      return settleOutcome(run, stepId, record.outcome, (body) =>
        checkBody(run, options.schema, { name, body }),
      );
    }
    if (record?.wait === undefined) await begin(run, stepId, name, options);
    else if (!(await takeSignal(run, stepId, name, options))) {
      await waitOn(run, stepId, name, record.wait.until);
    }
  }
}

/** A schema may take its time, in which the job must not be taken for idle: what comes of it moves the agent on. */
function checkBody(
  run: RunState,
  schema: StandardSchemaV1,
  { name, body }: { readonly name: string; readonly body: unknown },
): Promise<unknown> {
  return run.activity.run(() =>
    checkAgainst(schema, body, { code: 'invalid_input', what: `signal ${name}` }),
  );
}

/** A name that the API refuses would be waited for in vain; the same rule as in `src/protocol`. */
export const SIGNAL_NAME = /^[A-Za-z0-9._-]{1,64}$/;

function checkName(stepId: string, name: string): void {
  if (SIGNAL_NAME.test(name)) return;
  throw new AppError(
    `the wait ${JSON.stringify(stepId)} is for a signal named ${JSON.stringify(name)}: allowed is ${SIGNAL_NAME.source}; give a name by { name }`,
    { code: 'invalid_option', details: { option: 'name', value: name } },
  );
}

async function begin(
  run: RunState,
  stepId: string,
  name: string,
  { timeout }: SignalOptions<StandardSchemaV1>,
): Promise<void> {
  const at = run.deps.clock.now();
  const until = timeout === undefined ? {} : { until: at + durationMs(timeout) };
  await record(run, { type: 'wait.started', at, attempt: run.job.epoch, stepId, name, ...until });
}

/** Takes the oldest signal of that name, if there is one: as the outcome, or aside when it does not fit. */
async function takeSignal(
  run: RunState,
  stepId: string,
  name: string,
  { schema }: SignalOptions<StandardSchemaV1>,
): Promise<boolean> {
  const signal = nextSignal(run, name);
  if (signal === undefined) return false;
  run.takenSignals.add(signalKey(signal));
  const base = {
    at: run.deps.clock.now(),
    attempt: run.job.epoch,
    stepId,
    name,
    signalId: signal.signalId,
  };
  const body = fromJson(await readStored(run, signal.body));
  try {
    await checkBody(run, schema, { name, body });
  } catch (error) {
    await record(run, { type: 'signal.rejected', ...base, error: storeError(error) });
    return true;
  }
  await record(run, { type: 'signal.received', ...base, body: signal.body });
  return true;
}

function nextSignal(run: RunState, name: string): ReceivedSignal | undefined {
  let oldest: ReceivedSignal | undefined;
  for (const signal of run.signals) {
    const key = signalKey(signal);
    const isFree = !run.view.consumedSignals.has(key) && !run.takenSignals.has(key);
    if (signal.name !== name || !isFree) continue;
    if (oldest === undefined || signal.receivedAt < oldest.receivedAt) oldest = signal;
  }
  return oldest;
}

/** Before a wait ends without a signal, one more look: it may have come since the job was loaded. */
async function waitOn(
  run: RunState,
  stepId: string,
  name: string,
  until: number | undefined,
): Promise<void> {
  const at = run.deps.clock.now();
  if (until === undefined || until > at) {
    return run.activity.park({
      reason: 'signal',
      waitingOn: name,
      stepId,
      ...(until === undefined ? {} : { wakeAt: until }),
    });
  }
  await run.activity.run(() => run.guard(run.refresh()));
  if (nextSignal(run, name) !== undefined) return;
  await record(run, { type: 'wait.timed_out', at, attempt: run.job.epoch, stepId, name });
}

function record(run: RunState, entry: JournalEntry): Promise<void> {
  return run.activity.run(() => run.journal.append(entry));
}
