import type { Resource } from '../template/deployment.ts';
import { arn } from '../template/identity.ts';
import { TemplateError } from '../template/template-error.ts';
import type { MetricStore } from './metric-store.ts';
import { watchedMetric, type WatchedMetric } from './watched-metric.ts';

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

/** An alarm of the template. */
export interface Alarm {
  readonly name: string;
  readonly arn: string;
  readonly metric: WatchedMetric;
  readonly comparison: string;
  readonly threshold: number;
  /** The last so many are looked at. */
  readonly periods: number;
  /** So many of them have to breach. */
  readonly datapoints: number;
  readonly missingData: string;
}

/** What an alarm says at a moment. */
export interface AlarmReport {
  readonly name: string;
  readonly state: AlarmState;
  readonly metric: string;
  /** Of the last period, which ends now; null: there is no data. */
  readonly value: number | null;
  readonly comparison: string;
  readonly threshold: number;
  readonly periodSeconds: number;
  readonly periods: {
    readonly evaluated: number;
    readonly needed: number;
    readonly breaching: number;
  };
  readonly missingData: string;
}

const COMPARISONS: Readonly<Record<string, (value: number, threshold: number) => boolean>> = {
  GreaterThanThreshold: (value, threshold) => value > threshold,
  GreaterThanOrEqualToThreshold: (value, threshold) => value >= threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
  LessThanOrEqualToThreshold: (value, threshold) => value <= threshold,
};

export function alarmOf(resource: Resource): Alarm {
  const { logicalId, name, properties } = resource;
  const comparison = properties.text('ComparisonOperator');
  if (!Object.hasOwn(COMPARISONS, comparison)) {
    const known = Object.keys(COMPARISONS).join(', ');
    throw new TemplateError(logicalId, `unknown comparison ${comparison}; known: ${known}`);
  }
  const periods = properties.number('EvaluationPeriods');
  return {
    name,
    arn: arn('cloudwatch', `alarm:${name}`),
    metric: watchedMetric(resource),
    comparison,
    threshold: properties.number('Threshold'),
    periods,
    datapoints: properties.numberOr('DatapointsToAlarm', periods),
    missingData: properties.textOr('TreatMissingData', 'missing'),
  };
}

/** Periods end now and not at full minutes, so that what happens shows at once. */
export function judge(alarm: Alarm, store: MetricStore, now: number): AlarmReport {
  const { metric, comparison, threshold, periods, datapoints, missingData } = alarm;
  const periodMs = metric.periodSeconds * 1_000;
  const values = Array.from({ length: periods }, (_, ago) =>
    metric.valueIn(store, { from: now - (ago + 1) * periodMs, to: now - ago * periodMs }),
  );
  const breaches = values.map((value) =>
    value === undefined
      ? missing(missingData)
      : (COMPARISONS[comparison]?.(value, threshold) ?? false),
  );
  const breaching = breaches.filter((breach) => breach === true).length;
  return {
    name: alarm.name,
    state: stateOf(breaches, breaching >= datapoints),
    metric: metric.label,
    value: values[0] ?? null,
    comparison,
    threshold,
    periodSeconds: metric.periodSeconds,
    periods: { evaluated: periods, needed: datapoints, breaching },
    missingData,
  };
}

/** Undefined: such a period says nothing. */
function missing(treatment: string): boolean | undefined {
  if (treatment === 'breaching') return true;
  return treatment === 'notBreaching' ? false : undefined;
}

function stateOf(breaches: readonly (boolean | undefined)[], isAlarm: boolean): AlarmState {
  if (isAlarm) return 'ALARM';
  return breaches.every((breach) => breach === undefined) ? 'INSUFFICIENT_DATA' : 'OK';
}
