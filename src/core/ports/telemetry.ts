/** Fields of a log line: identifiers and facts, never payloads or secrets. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Metrics that the core moves; `METRICS` in the settings has them all. */
export type CoreMetric =
  | 'JobsSubmitted'
  | 'SubmitsReplayed'
  | 'EnqueueFailed'
  | 'JobsSucceeded'
  | 'JobsFailed'
  | 'JobsCancelled'
  | 'DeadLetters'
  | 'JournalConflicts'
  | 'LeasesLost'
  | 'JobsPerInvocation'
  | 'EndToEndMs'
  | 'QueueWaitMs'
  | 'SweeperFinds'
  | 'AgentMissing'
  | 'AgentRefused'
  | 'EarlyYields';

/** Logs and metrics of whatever runs the core. `agent` is the only dimension. */
export interface Telemetry {
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, fields?: LogFields): void;
  /** Adds to a metric. Default 1. */
  count(metric: CoreMetric, value?: number, dimensions?: { readonly agent?: string }): void;
  /** Records one value of a distribution; metrics whose name ends in `Ms` are in milliseconds. */
  measure(metric: CoreMetric, value: number, dimensions?: { readonly agent?: string }): void;
}
