import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, SearchExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { METRICS, type MetricName } from '../../../src/settings/names.ts';

export const PERIOD = Duration.minutes(1);

/** A metric that the functions send, over all agents. */
export function ownMetric(
  metricName: MetricName,
  statistic: string,
  { label, period = PERIOD }: { label?: string; period?: Duration } = {},
): Metric {
  return new Metric({
    namespace: METRICS.namespace,
    metricName,
    dimensionsMap: { service: METRICS.service },
    period,
    statistic,
    // An alarm over a metric with a label becomes one over metric math.
    ...(label === undefined ? {} : { label }),
  });
}

/** A metric that the functions send, a line for each value of a dimension. */
export function ownMetricBy(
  metricName: MetricName,
  dimension: 'agent' | 'code' | 'kind' | 'reason',
  statistic = 'Sum',
): IMetric {
  const search = `{${METRICS.namespace},service,${dimension}} MetricName="${metricName}" service="${METRICS.service}"`;
  return new SearchExpression({
    expression: `SEARCH('${search}', '${statistic}', ${PERIOD.toSeconds()})`,
    period: PERIOD,
    label: ' ',
  });
}

/** Percentiles of a metric in milliseconds. */
export function percentiles(metricName: MetricName): Metric[] {
  return ['p50', 'p95', 'p99'].map((statistic) =>
    ownMetric(metricName, statistic, { label: statistic }),
  );
}

/** A figure computed of others; no data counts as nothing. */
export function formula(
  expression: string,
  usingMetrics: Record<string, IMetric>,
  label: string,
  period = PERIOD,
): MathExpression {
  return new MathExpression({ expression, usingMetrics, label, period });
}
