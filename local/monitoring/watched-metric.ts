import type { Resource } from '../template/deployment.ts';
import type { Properties } from '../template/properties.ts';
import { TemplateError } from '../template/template-error.ts';
import type { Metric } from './metric.ts';
import type { MetricStore, Span } from './metric-store.ts';
import { KNOWN_STATISTICS, statisticNamed } from './statistic.ts';

/** What an alarm goes by: a statistic of a metric, or a formula over some. */
export interface WatchedMetric {
  /** For people: `Sum of Longhaul/Sweeps`, `SUM(METRICS())`. */
  readonly label: string;
  readonly periodSeconds: number;
  /** Undefined: there is no data. */
  valueIn(store: MetricStore, span: Span): number | undefined;
}

/** @throws TemplateError naming the alarm, for a statistic or formula that is not played */
export function watchedMetric({ logicalId, properties }: Resource): WatchedMetric {
  if (!properties.has('Metrics')) {
    const statistic = properties.textOr('ExtendedStatistic', properties.textOr('Statistic', ''));
    return single(logicalId, properties, { statistic, periodSeconds: properties.number('Period') });
  }
  const parts = properties.list('Metrics');
  const operands = new Map(
    parts
      .filter((part) => part.has('MetricStat'))
      .map((part) => {
        const stat = part.nested('MetricStat');
        const form = { statistic: stat.text('Stat'), periodSeconds: stat.number('Period') };
        return [part.text('Id'), single(logicalId, stat.nested('Metric'), form)];
      }),
  );
  const [returned, another] = parts.filter((part) => part.booleanOr('ReturnData', true));
  if (!returned || another || !returned.has('Expression')) {
    throw new TemplateError(logicalId, 'metric math needs one expression that returns data');
  }
  return formula(logicalId, returned.text('Expression'), operands);
}

function single(
  where: string,
  properties: Properties,
  { statistic, periodSeconds }: { readonly statistic: string; readonly periodSeconds: number },
): WatchedMetric {
  const of = statisticNamed(statistic);
  if (!of) {
    throw new TemplateError(where, `unknown statistic ${statistic}; known: ${KNOWN_STATISTICS}`);
  }
  const metric: Metric = {
    namespace: properties.text('Namespace'),
    name: properties.text('MetricName'),
    dimensions: Object.fromEntries(
      properties.list('Dimensions').map((one) => [one.text('Name'), one.text('Value')]),
    ),
  };
  return {
    label: `${statistic} of ${metric.namespace}/${metric.name}`,
    periodSeconds,
    valueIn: (store, span) => {
      const sample = store.sample(metric, span);
      return sample && of(sample);
    },
  };
}

type Operands = ReadonlyMap<string, WatchedMetric>;
type Values = (id: string) => number | undefined;
type Formula = (values: Values, ids: readonly string[]) => number | undefined;

const OVER_ALL: Readonly<Record<string, (values: readonly number[]) => number>> = {
  SUM: (values) => values.reduce((sum, value) => sum + value, 0),
  MAX: (values) => Math.max(...values),
};
const FILLED = /^FILL\((\w+), (\d+)\)$/;

/** Played are a sum of filled metrics, and the sum or greatest of all. */
function parsed(where: string, expression: string): Formula {
  const [, name = ''] = /^(\w+)\(METRICS\(\)\)$/.exec(expression) ?? [];
  const overAll = OVER_ALL[name];
  if (overAll) {
    return (values, ids) => {
      const present = ids.map(values).filter((value) => value !== undefined);
      return present.length === 0 ? undefined : overAll(present);
    };
  }
  const terms = expression.split(' + ').map((term) => FILLED.exec(term));
  if (terms.every((term) => term !== null)) {
    return (values) =>
      terms.reduce((sum, [, id = '', fill]) => sum + (values(id) ?? Number(fill)), 0);
  }
  throw new TemplateError(
    where,
    `unknown expression ${expression}; known: SUM(METRICS()), MAX(METRICS()), FILL(a, 0) + FILL(b, 0)`,
  );
}

function formula(where: string, expression: string, operands: Operands): WatchedMetric {
  const compute = parsed(where, expression);
  const ids = [...operands.keys()];
  const periods = new Set(Array.from(operands.values(), ({ periodSeconds }) => periodSeconds));
  const [periodSeconds, another] = periods;
  if (periodSeconds === undefined || another !== undefined) {
    throw new TemplateError(where, 'metric math needs metrics of one period');
  }
  return {
    label: expression,
    periodSeconds,
    valueIn: (store, span) => compute((id) => operands.get(id)?.valueIn(store, span), ids),
  };
}
