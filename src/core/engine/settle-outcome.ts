import { fromJson } from './json-value.ts';
import type { StepOutcome } from './journal-view.ts';
import { readStored } from './payload.ts';
import type { RunState } from './run-state.ts';
import { isTerminal, reviveError } from './stored-error.ts';

/** Gives the agent a recorded outcome: its value, or its error thrown. */
export async function settleOutcome(
  run: RunState,
  stepId: string,
  outcome: StepOutcome,
): Promise<unknown> {
  if (outcome.kind === 'succeeded') return fromJson(await readStored(run, outcome.value));
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
