import { Duration } from 'aws-cdk-lib';
import { GraphWidget, type IMetric, type IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { METRICS, type MetricName } from '../../../src/settings/names.ts';
import { PRICES } from '../../../src/sizing/prices.ts';
import type { ServiceFunction } from '../service-function.ts';
import { formula, ownMetric } from './metrics.ts';
import type { Watched } from './watched.ts';

const { names } = METRICS;
const HOUR = Duration.hours(1);
const SUM = { period: HOUR, statistic: 'Sum' };

/** Of what ended in the hour; the figures of `ended`. */
const JOBS = '(FILL(succeeded, 0) + FILL(failed, 0) + FILL(cancelled, 0))';

/** Estimates at list price by what was counted, per thousand jobs that ended; free tiers and discounts left out. */
export function costGraphs(watched: Watched): IWidget[] {
  const asked = own(names.awsRequests);
  const units = own(names.writeUnits);
  return [
    graph('Orchestration, $ per 1,000 jobs (estimate)', [orchestration(watched)]),
    graph('Compute, $ per 1,000 jobs (estimate)', compute(watched), { stacked: true }),
    graph('AWS requests and write units of one job', [
      formula(`FILL(asked, 0) / ${JOBS}`, { ...ended(), asked }, 'requests', HOUR),
      formula(`FILL(units, 0) / ${JOBS}`, { ...ended(), units }, 'write units', HOUR),
    ]),
  ];
}

/** Requests, writes and messages: what it costs to run jobs durably, whatever they do. */
function orchestration({ functions, lanes, queue, notifications, api }: Watched): IMetric {
  const invocations = numbered(
    'invocations',
    [...Object.values(functions), ...Object.values(lanes)].map((fn) => fn.metricInvocations(SUM)),
  );
  const queues = [...queue.all.flatMap((lane) => [lane.jobs, lane.isolation]), notifications.queue];
  const sent = numbered(
    'sent',
    queues.map((one) => one.metricNumberOfMessagesSent(SUM)),
  );
  const dollars = [
    `FILL(api, 0) * ${decimal(PRICES.apiRequest)}`,
    `(${sumOf(invocations)}) * ${decimal(PRICES.invocation)}`,
    `FILL(units, 0) * ${decimal(PRICES.writeUnit)}`,
    `FILL(reads, 0) * ${decimal(PRICES.readUnit)}`,
    // A message is sent, received and deleted.
    `(${sumOf(sent)}) * 3 * ${decimal(PRICES.queueRequest)}`,
  ];
  return perThousandJobs(
    dollars.join(' + '),
    {
      ...invocations,
      ...sent,
      api: api.metricCount(SUM),
      units: own(names.writeUnits),
      reads: own(names.readUnits),
    },
    'requests, writes, messages',
  );
}

/** The workers, each by its own memory, and what serves them. */
function compute({ functions: { worker, ...others }, lanes }: Watched): IMetric[] {
  return [
    computeOf('worker', [worker, ...Object.values(lanes)]),
    computeOf('other', Object.values(others)),
  ];
}

function computeOf(kind: 'worker' | 'other', functions: readonly ServiceFunction[]): IMetric {
  const durations = functions.map((fn) => fn.metricDuration(SUM));
  const gbSeconds = functions.map(
    ({ memoryMb }, index) => `FILL(${kind}${index}, 0) / 1000 * ${memoryMb / 1024}`,
  );
  return perThousandJobs(
    `(${gbSeconds.join(' + ')}) * ${decimal(PRICES.gbSecond)}`,
    numbered(kind, durations),
    kind === 'worker' ? 'workers' : 'API and other functions',
  );
}

function perThousandJobs(
  dollars: string,
  metrics: Readonly<Record<string, IMetric>>,
  label: string,
): IMetric {
  return formula(`1000 * (${dollars}) / ${JOBS}`, { ...ended(), ...metrics }, label, HOUR);
}

function ended(): Record<string, IMetric> {
  return {
    succeeded: own(names.jobsSucceeded),
    failed: own(names.jobsFailed),
    cancelled: own(names.jobsCancelled),
  };
}

function own(name: MetricName): IMetric {
  return ownMetric(name, 'Sum', { period: HOUR });
}

/** Names for metric math. */
function numbered(name: string, metrics: readonly IMetric[]): Record<string, IMetric> {
  return Object.fromEntries(metrics.map((metric, index) => [`${name}${index}`, metric]));
}

function sumOf(metrics: Readonly<Record<string, IMetric>>): string {
  return Object.keys(metrics)
    .map((name) => `FILL(${name}, 0)`)
    .join(' + ');
}

function graph(title: string, left: IMetric[], { stacked = false } = {}): IWidget {
  return new GraphWidget({ title, width: 8, height: 6, left, stacked, period: HOUR });
}

/** Metric math takes the e of 2e-7 for a metric. */
function decimal(price: number): string {
  return price.toFixed(12).replace(/0+$/, '');
}
