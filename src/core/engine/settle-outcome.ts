import { fromJson } from './json-value.ts';
import { momentOf, recordOf, type StepOutcome } from './journal-view.ts';
import { readStored } from './payload.ts';
import type { RunState } from './run-state.ts';
import { isTerminal, reviveError } from './stored-error.ts';

/** Makes of a recorded value what the agent gets. */
type Finish = (value: unknown) => unknown;

/** Gives the agent a recorded outcome: its value, or its error thrown. */
export async function settleOutcome(
  run: RunState,
  stepId: string,
  outcome: StepOutcome,
  finish: Finish = (value) => value,
): Promise<unknown> {
  const moment = momentOf(recordOf(run.view, stepId));
  if (outcome.kind === 'succeeded') {
    const { value } = outcome;
    // All that takes time: nothing of it may lie between the turn and the agent.
    return run.turnOf(moment, async () => finish(fromJson(await readStored(run, value))));
  }
  await run.turnOf(moment);
  const error = reviveError(outcome.error);
  run.failures.set(error, {
    stepId,
    attempt: outcome.attempt,
    tries: outcome.tries,
    terminal: isTerminal(error),
    error: outcome.error,
  });
  throw error;
}
