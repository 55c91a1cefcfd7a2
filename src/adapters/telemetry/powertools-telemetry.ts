import { Logger } from '@aws-lambda-powertools/logger';
import type { Dimensions, Telemetry } from '../../core/ports/telemetry.ts';
import { METRICS, type MetricName } from '../../settings/names.ts';
import { MetricBuffer } from './metric-buffer.ts';

export interface FlushableTelemetry extends Telemetry {
  count(metric: MetricName, value?: number, dimensions?: Dimensions): void;
  measure(metric: MetricName, value: number, dimensions?: Dimensions): void;
  /** Writes the metrics gathered so far; at the end of each invocation. */
  flush(): void;
}

/** JSON lines on standard output, which Lambda hands to CloudWatch: logs, and metrics in the embedded metric format. */
export function powertoolsTelemetry(): FlushableTelemetry {
  const logger = new Logger({ serviceName: METRICS.service });
  const metrics = new MetricBuffer();
  return {
    log: (level, message, fields = {}) => {
      logger[level](message, { ...fields });
    },
    count: (metric, value = 1, dimensions = {}) => {
      metrics.count(metric, value, { ...dimensions });
    },
    measure: (metric, value, dimensions = {}) => {
      metrics.measure(metric, value, { ...dimensions });
    },
    flush: () => {
      metrics.flush();
    },
  };
}
