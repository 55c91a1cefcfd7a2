import { Duration } from 'aws-cdk-lib';
import { GraphWidget, type IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { METRICS } from '../../../src/settings/names.ts';
import { PRICES } from '../../../src/sizing/prices.ts';
import type { LonghaulConfig } from '../../config.ts';
import { formula, ownMetric } from './metrics.ts';
import type { Watched } from './watched.ts';

const { names } = METRICS;
const HOUR = Duration.hours(1);
const SUM = { period: HOUR, statistic: 'Sum' };

/** Estimates at list price by what was counted, per thousand jobs that ended; free tiers and discounts left out. */
export function costGraphs(watched: Watched, config: LonghaulConfig): IWidget[] {
  const own = (name: (typeof names)[keyof typeof names]) =>
    ownMetric(name, 'Sum', { period: HOUR });
  const ended = {
    succeeded: own(names.jobsSucceeded),
    failed: own(names.jobsFailed),
    cancelled: own(names.jobsCancelled),
  };
  const jobs = '(FILL(succeeded, 0) + FILL(failed, 0) + FILL(cancelled, 0))';
  const { functions, api } = watched;
  const invocations = Object.fromEntries(
    Object.entries(functions).map(([name, fn]) => [`n_${name}`, fn.metricInvocations(SUM)]),
  );
  const requests = Object.keys(invocations)
    .map((name) => `FILL(${name}, 0)`)
    .join(' + ');
  const orchestration = [
    `FILL(api, 0) * ${decimal(PRICES.apiRequest)}`,
    `(${requests}) * ${decimal(PRICES.invocation)}`,
    `FILL(units, 0) * ${decimal(PRICES.writeUnit)}`,
    `FILL(reads, 0) * ${decimal(PRICES.readUnit)}`,
    `FILL(sent, 0) * 3 * ${decimal(PRICES.queueRequest)}`,
  ].join(' + ');
  const gb = config.worker.memoryMb / 1024;
  return [
    graph('Orchestration, $ per 1,000 jobs (estimate)', [
      formula(
        `1000 * (${orchestration}) / ${jobs}`,
        {
          ...ended,
          ...invocations,
          api: api.metricCount(SUM),
          units: own(names.writeUnits),
          reads: own(names.readUnits),
          sent: watched.queue.jobs.metricNumberOfMessagesSent(SUM),
        },
        'requests, writes, messages',
        HOUR,
      ),
    ]),
    graph('Compute, $ per 1,000 jobs (estimate)', [
      formula(
        `1000 * (FILL(ms, 0) / 1000 * ${gb} * ${decimal(PRICES.gbSecond)}) / ${jobs}`,
        { ...ended, ms: functions.worker.metricDuration(SUM) },
        'compute',
        HOUR,
      ),
    ]),
    graph('AWS requests and write units of one job', [
      formula(
        `FILL(asked, 0) / ${jobs}`,
        { ...ended, asked: own(names.awsRequests) },
        'requests',
        HOUR,
      ),
      formula(
        `FILL(units, 0) / ${jobs}`,
        { ...ended, units: own(names.writeUnits) },
        'write units',
        HOUR,
      ),
    ]),
  ];
}

function graph(title: string, left: ReturnType<typeof formula>[]): IWidget {
  return new GraphWidget({ title, width: 8, height: 6, left, period: HOUR });
}

/** Metric math takes the e of 2e-7 for a metric. */
function decimal(price: number): string {
  return price.toFixed(12).replace(/0+$/, '');
}
