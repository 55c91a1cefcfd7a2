import type { Load, Settings } from './load.ts';

/** What a load asks of the worker, by Little's law. */
export interface Demand {
  /** Jobs at work at once: rate times duration. */
  readonly jobsInFlight: number;
  /** Jobs that share one invocation on average. */
  readonly jobsPerInvocation: number;
  /** Invocations of the worker at once; above `maxConcurrency` jobs queue up. */
  readonly concurrency: number;
  /** Slices one job takes: an invocation ends, the job goes on in the next. */
  readonly slicesPerJob: number;
  /** What the settings can carry at most, in jobs a second. */
  readonly capacityPerSecond: number;
}

/** The share of its concurrency that a worker should use at the average load: the rest is for peaks. */
export const TARGET_UTILISATION = 0.7;

/**
 * Little's law: jobs in flight = rate × duration. A batch holds what the queue has when it is read: what gathers in the batching
 * window, or, when all invocations are taken, what has to share them.
 */
export function demandOf(load: Load, settings: Settings): Demand {
  const { jobsPerSecond, durationSeconds } = load;
  const { batchSize, batchingWindowSeconds, maxConcurrency } = settings;
  const jobsInFlight = jobsPerSecond * durationSeconds;
  const gathered = jobsPerSecond * batchingWindowSeconds;
  const crowded = jobsInFlight / maxConcurrency;
  const jobsPerInvocation = Math.min(batchSize, Math.max(1, gathered, crowded));
  return {
    jobsInFlight,
    jobsPerInvocation,
    concurrency: jobsInFlight / jobsPerInvocation,
    slicesPerJob: Math.max(1, Math.ceil(durationSeconds / sliceSeconds(settings))),
    capacityPerSecond: (maxConcurrency * batchSize) / durationSeconds,
  };
}

/** The last tenth of an invocation, 2 to 15 seconds, is kept for writing down where its jobs stand. */
export function sliceSeconds({ timeoutSeconds }: Settings): number {
  return timeoutSeconds - Math.min(15, Math.max(2, timeoutSeconds / 10));
}
