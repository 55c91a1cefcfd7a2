/** Fields of a log line: identifiers and facts, never payloads or secrets. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Metrics that the core moves; `METRICS` in the settings has them all, with what they mean. */
export type CoreMetric =
  | 'JobsSubmitted'
  | 'SubmitsReplayed'
  | 'EnqueueFailed'
  | 'JobsStarted'
  | 'JobsSuspended'
  | 'JobsSucceeded'
  | 'JobsFailed'
  | 'JobsFailedByCode'
  | 'JobsCancelled'
  | 'DeadLetters'
  | 'JournalConflicts'
  | 'LeasesLost'
  | 'JobsPerInvocation'
  | 'SlotUsePercent'
  | 'StepMs'
  | 'SliceMs'
  | 'ReplayMs'
  | 'ResumeMs'
  | 'EndToEndMs'
  | 'QueueWaitMs'
  | 'Sweeps'
  | 'SweeperFinds'
  | 'OverdueJobs'
  | 'AgentMissing'
  | 'AgentRefused'
  | 'EarlyYields'
  | 'NotificationsDelivered'
  | 'NotificationTriesFailed'
  | 'NotificationsGivenUp'
  | 'ScheduleRuns'
  | 'ScheduleRunsFailed';

/**
 * What a metric is split by, beside the sum over all of it; one at most, and never a job or a tenant: each value of one is a
 * metric of its own on the bill.
 */
export type Dimensions =
  | { readonly agent?: string }
  | { readonly code: string }
  | { readonly reason: string }
  | { readonly kind: string };

/** Logs and metrics of whatever runs the core. */
export interface Telemetry {
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, fields?: LogFields): void;
  /** Adds to a metric. Default 1. */
  count(metric: CoreMetric, value?: number, dimensions?: Dimensions): void;
  /** Records one value of a distribution; metrics whose name ends in `Ms` are in milliseconds. */
  measure(metric: CoreMetric, value: number, dimensions?: Dimensions): void;
}
