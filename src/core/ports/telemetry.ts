/** Fields of a log line: identifiers and facts, never payloads or secrets. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Logs and metrics of whatever runs the core. */
export interface Telemetry {
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, fields?: LogFields): void;
  /** Adds to a metric; `metric` is a name of `METRICS` in the settings. `agent` is the only dimension. */
  count(metric: string, value?: number, dimensions?: { readonly agent?: string }): void;
  /** Records a duration in milliseconds. */
  measure(metric: string, milliseconds: number, dimensions?: { readonly agent?: string }): void;
}
