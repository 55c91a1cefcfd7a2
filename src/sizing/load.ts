/** What a deployment is to carry; averages. */
export interface Load {
  /** Jobs submitted each second. */
  readonly jobsPerSecond: number;
  /** Time one job is at work, waiting for models and tools included, sleeps and signals left out. */
  readonly durationSeconds: number;
  readonly steps: number;
  readonly inputBytes: number;
  /** Outcome of one step. */
  readonly outcomeBytes: number;
  readonly resultBytes: number;
  /** Reads of a client for each job: polls, or what its event stream costs. */
  readonly readsPerJob: number;
}

/** The settings that decide capacity and cost: keys of the same name in docs/configuration.md. */
export interface Settings {
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly batchSize: number;
  readonly batchingWindowSeconds: number;
  readonly maxConcurrency: number;
  readonly leaseSeconds: number;
  readonly retentionDays: number;
}
