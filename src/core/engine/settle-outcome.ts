import { fromJson } from './json-value.ts';
import { momentOf, recordOf, type StepOutcome } from './journal-view.ts';
import { readStored } from './payload.ts';
import type { RunState } from './run-state.ts';
import { isTerminal, reviveError } from './stored-error.ts';

/** Gives the agent a recorded outcome: its value, or its error thrown. */
export async function settleOutcome(
  run: RunState,
  stepId: string,
  outcome: StepOutcome,
): Promise<unknown> {
  // Read before its turn: nothing that takes time may lie between the turn and the agent.
  const json = outcome.kind === 'succeeded' ? await readStored(run, outcome.value) : '';
  await run.turnOf(momentOf(recordOf(run.view, stepId)));
  if (outcome.kind === 'succeeded') return fromJson(json);
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
