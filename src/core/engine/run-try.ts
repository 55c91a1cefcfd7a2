import type { StepContext } from '../../agent/context.ts';
import { AppError } from '../../errors.ts';
import { readableError } from './stored-error.ts';
import type { RunState } from './run-state.ts';

export type TryResult =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: unknown };

export interface Try {
  readonly stepId: string;
  readonly number: number;
  readonly idempotencyKey: string;
  readonly timeoutMs: number;
  readonly fn: (step: StepContext) => unknown;
}

/**
 * One try of a step. A try that overruns its timeout counts as failed at once, whatever its function still does; one that
 * the end of the run interrupts never settles, so that the agent sees nothing of it.
 */
export function runTry(run: RunState, attempt: Try): Promise<TryResult> {
  const { stepId, number, idempotencyKey, timeoutMs, fn } = attempt;
  // Whoever waited for this try may have waited beyond the end of the run: then nothing starts any more.
  if (run.hasEnded) return new Promise(() => undefined);
  const controller = new AbortController();
  return new Promise((resolve) => {
    const settle = (result: TryResult): void => {
      cancelTimer();
      run.signal.removeEventListener('abort', onRunEnd);
      if (!run.hasEnded) resolve(result);
    };
    const cancelTimer = run.deps.clock.setTimer(timeoutMs, () => {
      const error = timeoutError(stepId, number, timeoutMs);
      controller.abort(error);
      settle({ kind: 'threw', error });
    });
    const onRunEnd = (): void => {
      cancelTimer();
      controller.abort(run.signal.reason);
    };
    run.signal.addEventListener('abort', onRunEnd, { once: true });
    const step = { jobId: run.job.jobId, stepId, try: number };
    const context = { attempt: number, idempotencyKey, signal: controller.signal };
    const { stepScope } = run.deps;
    call(() =>
      stepScope === undefined ? fn(context) : stepScope.run(step, () => fn(context)),
    ).then(
      (value) => {
        settle({ kind: 'returned', value });
      },
      (error: unknown) => {
        settle({ kind: 'threw', error: readableError(error) });
      },
    );
  });
}

// Async, so that what a plain function throws becomes a rejection like any other.
// eslint-disable-next-line @typescript-eslint/require-await -- see above
async function call(fn: () => unknown): Promise<unknown> {
  return fn();
}

function timeoutError(stepId: string, number: number, timeoutMs: number): AppError {
  return new AppError(
    `try ${number} of step ${JSON.stringify(stepId)} took longer than its timeout of ${timeoutMs} ms; give it more time by { timeout }, or make it stop by its signal`,
    { code: 'step_timeout', retryable: true, details: { stepId, try: number, timeoutMs } },
  );
}
