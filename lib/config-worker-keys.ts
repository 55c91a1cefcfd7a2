import { DEFAULTS } from '../src/settings/defaults.ts';
import { whole } from './config-key.ts';

/** What a worker is given: the keys of `worker` and of each of `workers`. */
export const WORKER_KEYS = {
  timeoutSeconds: whole(30, 900, {
    default: DEFAULTS.worker.timeoutSeconds,
    effect:
      'longest invocation of the worker; longer jobs continue in a new slice, and no step may take longer',
  }),
  memoryMb: whole(128, 10_240, {
    default: DEFAULTS.worker.memoryMb,
    effect: 'memory of the worker; CPU grows with it, one full vCPU at 1,769',
  }),
  batchSize: whole(1, 1_000, {
    default: DEFAULTS.worker.batchSize,
    effect: 'most jobs that share one invocation; above 10 needs a batching window',
  }),
  batchingWindowSeconds: whole(0, 300, {
    default: DEFAULTS.worker.batchingWindowSeconds,
    effect: 'how long the queue gathers messages before it invokes the worker',
  }),
  maxConcurrency: whole(2, 1_000, {
    default: DEFAULTS.worker.maxConcurrency,
    effect: 'most concurrent invocations of the worker for each of its two queues',
  }),
  reservedConcurrency: whole(0, 2_000, {
    default: 0,
    effect:
      'concurrency of the account kept free for the worker, at least twice its maxConcurrency; 0 reserves nothing and lets it take what the account has',
  }),
} as const;
