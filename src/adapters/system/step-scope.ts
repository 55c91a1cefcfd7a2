import { AsyncLocalStorage } from 'node:async_hooks';
import type { RunningStep, StepScope } from '../../core/ports/step-scope.ts';

const storage = new AsyncLocalStorage<RunningStep>();

export const systemStepScope: StepScope = {
  run: (step, fn) => storage.run(step, fn),
  current: () => storage.getStore(),
};
