import type { RunningStep } from '../ports/step-scope.ts';
import type { RunState } from './run-state.ts';

/** The step of this job that the code which is running now belongs to. */
export function runningStep(run: RunState): RunningStep | undefined {
  const step = run.deps.stepScope?.current();
  return step?.jobId === run.job.jobId ? step : undefined;
}
