/** Defaults of the configuration keys that decide capacity and cost: the construct deploys them, `longhaul size` reckons with them. */
export const DEFAULTS = {
  retentionDays: 90,
  leaseSeconds: 60,
  worker: {
    timeoutSeconds: 300,
    memoryMb: 512,
    batchSize: 10,
    batchingWindowSeconds: 0,
    maxConcurrency: 100,
  },
} as const;

/** What both queues of the worker are made with. */
export const QUEUE = {
  /** A message whose invocation died comes back after the worker's timeout and this. */
  visibilityMarginSeconds: 30,
  /** Receives of one message before SQS moves it to the DLQ by itself: only messages nobody can read get there. */
  maxReceiveCount: 5,
  retentionDays: 4,
  /** Above that of the queues, since a message keeps its age when it is moved. */
  deadLetterRetentionDays: 14,
} as const;
