import type { Dimensions, LogFields, Telemetry } from '../../core/ports/telemetry.ts';
import type { MetricName } from '../../settings/names.ts';
import { type LogOptions, LogWriter } from './log-writer.ts';
import { MetricBuffer } from './metric-buffer.ts';

export interface FlushableTelemetry extends Telemetry {
  count(metric: MetricName, value?: number, dimensions?: Dimensions): void;
  measure(metric: MetricName, value: number, dimensions?: Dimensions): void;
  /** Runs work all of whose log lines carry these fields, too. */
  during<T>(fields: LogFields, work: () => T): T;
  /** Writes the metrics gathered so far; at the end of each invocation. */
  flush(): void;
}

/** JSON lines on standard output, which Lambda hands to CloudWatch: logs, and metrics in the embedded metric format. */
export function powertoolsTelemetry(options: LogOptions = {}): FlushableTelemetry {
  const logs = new LogWriter(options);
  const metrics = new MetricBuffer();
  return {
    log: (level, message, fields) => {
      logs.log(level, message, fields);
    },
    during: (fields, work) => logs.during(fields, work),
    count: (metric, value = 1, dimensions = {}) => {
      metrics.count(metric, value, { ...dimensions });
    },
    measure: (metric, value, dimensions = {}) => {
      metrics.measure(metric, value, { ...dimensions });
    },
    flush: () => {
      metrics.flush();
      logs.forget();
    },
  };
}
