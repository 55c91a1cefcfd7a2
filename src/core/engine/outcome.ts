import type { Agent } from '../../agent/define-agent.ts';
import { AppError, hasCode, type JobErrorCode } from '../../errors.ts';
import type { Job, JobError } from '../job/job.ts';
import { causeOf, storeError } from './stored-error.ts';
import type { RunState, StepFailure } from './run-state.ts';

/** How a job fails: what callers see, and whether an operator gets a dead letter. */
export interface Failure {
  readonly error: JobError;
  readonly deadLetter: boolean;
}

/** Errors of a run that a job shows by their own code. */
const RUN_ERRORS = [
  'result_invalid',
  'invalid_input',
  'not_serializable',
  'payload_too_large',
] as const;

/** Sorts what `run` threw: a step whose tries are used up and that nobody caught is a dead letter, all else is not. */
export function failureOf(run: RunState, thrown: unknown): Failure {
  const attempt = run.job.epoch;
  const step = findStepFailure(run, thrown);
  if (step === undefined) {
    const stored = storeError(thrown);
    const code = hasCode(thrown, ...RUN_ERRORS) ? thrown.code : 'agent_failed';
    return { error: { code, message: stored.message, attempt, cause: stored }, deadLetter: false };
  }
  const tries = `${step.tries} ${step.tries === 1 ? 'try' : 'tries'}`;
  const message = `step ${JSON.stringify(step.stepId)} failed after ${tries}: ${step.error.message}`;
  return {
    error: {
      code: 'step_failed',
      message,
      step: step.stepId,
      attempt: step.attempt,
      cause: step.error,
    },
    deadLetter: !step.terminal,
  };
}

/** The step's failure, also when the agent wrapped it. */
function findStepFailure(run: RunState, thrown: unknown): StepFailure | undefined {
  let error = thrown;
  for (let depth = 0; depth < 8 && typeof error === 'object' && error !== null; depth++) {
    const failure = run.failures.get(error);
    if (failure !== undefined) return failure;
    error = causeOf(error);
  }
  return undefined;
}

/** A job that reached a limit. */
export function limitFailure(
  code: JobErrorCode,
  message: string,
  job: Job,
  step?: string,
): Failure {
  return {
    error: { code, message, attempt: job.epoch, ...(step === undefined ? {} : { step }) },
    deadLetter: code === 'attempts_exhausted',
  };
}

/**
 * Checks a value against one of the agent's schemas.
 * @throws AppError with the given code, naming each fault.
 */
export async function checkAgainst(
  schema: Agent['input'],
  value: unknown,
  refusal: { code: 'invalid_input' | 'result_invalid'; what: string },
): Promise<unknown> {
  const checked = await schema['~standard'].validate(value);
  if (checked.issues === undefined) return checked.value;
  const faults = checked.issues
    .slice(0, 20)
    .map(({ message, path }) => `${pointer(path)}: ${message}`);
  throw new AppError(`${refusal.what} does not fit the agent's schema: ${faults.join('; ')}`, {
    code: refusal.code,
    details: { faults },
  });
}

function pointer(
  path: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined,
): string {
  const parts = (path ?? []).map((part) => String(typeof part === 'object' ? part.key : part));
  return `/${parts.join('/')}`;
}
