import {
  AlarmStatusWidget,
  GraphWidget,
  type IAlarm,
  type IMetric,
  type IWidget,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { METRICS } from '../../../src/settings/names.ts';
import type { LonghaulConfig } from '../../config.ts';
import { costGraphs } from './cost-graphs.ts';
import { formula, ownMetric, ownMetricBy, percentiles, PERIOD } from './metrics.ts';
import type { Watched } from './watched.ts';

const { names } = METRICS;
const SUM = { period: PERIOD, statistic: 'Sum' };
const MAXIMUM = { period: PERIOD, statistic: 'Maximum' };
/** The grid of a dashboard is 24 wide. */
const FULL = 24;

export interface DashboardProps {
  readonly config: LonghaulConfig;
  readonly alarms: readonly IAlarm[];
}

/** The dashboard, row by row, from what users feel to what lies behind it. */
export function dashboardRows(watched: Watched, { config, alarms }: DashboardProps): IWidget[][] {
  return [
    [new TextWidget({ width: FULL, height: 4, markdown: HOW_TO_READ })],
    [new AlarmStatusWidget({ title: 'Alarms', width: FULL, height: 4, alarms: [...alarms] })],
    jobs(),
    times(),
    queues(watched),
    worker(watched, config),
    ...lanes(watched),
    recovery(watched),
    notifications(watched),
    surroundings(watched),
    costGraphs(watched),
  ];
}

const HOW_TO_READ = `## How to read this
Top to bottom: what callers feel, then what is behind it. **Jobs**: does the work get done? **Times**: is it as fast as usual?
**Queues**: age growing while the worker is at its maximum means more comes in than it can do; age growing while it is idle means it fails.
**Worker** and **Recovery**: crashes, lost leases, sweeper finds: a few after a deploy are normal. **API, table**: what everything stands on.
An alarm's description links to its section in the runbook; the queries there are saved in Logs Insights under the name of this stack.`;

function row(...graphs: readonly [title: string, left: IMetric[], right?: IMetric[]][]): IWidget[] {
  return graphs.map(
    ([title, left, right = []]) =>
      new GraphWidget({ title, width: FULL / graphs.length, height: 6, left, right }),
  );
}

function jobs(): IWidget[] {
  const ended = {
    succeeded: ownMetric(names.jobsSucceeded, 'Sum'),
    failed: ownMetric(names.jobsFailed, 'Sum'),
  };
  const submits = {
    submitted: ownMetric(names.jobsSubmitted, 'Sum'),
    replayed: ownMetric(names.submitsReplayed, 'Sum'),
  };
  return row(
    [
      'Jobs by outcome',
      [
        names.jobsSubmitted,
        names.jobsStarted,
        names.jobsSucceeded,
        names.jobsFailed,
        names.jobsCancelled,
      ].map((name) => ownMetric(name, 'Sum', { label: name })),
    ],
    [
      'Success and duplicates (%)',
      [
        formula(
          '100 * FILL(succeeded, 0) / (FILL(succeeded, 0) + FILL(failed, 0))',
          ended,
          'succeeded',
        ),
        formula(
          '100 * FILL(replayed, 0) / (FILL(submitted, 0) + FILL(replayed, 0))',
          submits,
          'duplicates',
        ),
      ],
    ],
    ['Failed by code', [ownMetricBy(names.jobsFailedByCode, 'code')]],
    ['Waits begun by reason', [ownMetricBy(names.jobsSuspended, 'reason')]],
  );
}

function times(): IWidget[] {
  return row(
    ['Submit to end (ms)', percentiles(names.endToEndMs)],
    ['Submit to first claim (ms)', percentiles(names.queueWaitMs)],
    ['One try of a step (ms)', percentiles(names.stepMs)],
    [
      'Resume and replay p95 (ms)',
      [
        ownMetric(names.resumeMs, 'p95', { label: 'resume p95' }),
        ownMetric(names.replayMs, 'p95', { label: 'replay p95' }),
      ],
    ],
  );
}

function queues({ queue: { jobs: jobsQueue, isolation, deadLetters } }: Watched): IWidget[] {
  return row(
    [
      'Messages waiting and in flight',
      [
        jobsQueue.metricApproximateNumberOfMessagesVisible({ ...MAXIMUM, label: 'waiting' }),
        jobsQueue.metricApproximateNumberOfMessagesNotVisible({ ...MAXIMUM, label: 'in flight' }),
        jobsQueue.metricApproximateNumberOfMessagesDelayed({ ...MAXIMUM, label: 'delayed' }),
        isolation.metricApproximateNumberOfMessagesVisible({ ...MAXIMUM, label: 'isolation' }),
      ],
    ],
    [
      'Age of the oldest message (s)',
      [
        jobsQueue.metricApproximateAgeOfOldestMessage({ ...MAXIMUM, label: 'jobs' }),
        isolation.metricApproximateAgeOfOldestMessage({ ...MAXIMUM, label: 'isolation' }),
      ],
    ],
    [
      'Noisy and quiet tenants',
      [
        jobsQueue.metric('ApproximateNumberOfNoisyGroups', { ...MAXIMUM, label: 'noisy tenants' }),
        jobsQueue.metric('ApproximateNumberOfMessagesVisibleInQuietGroups', {
          ...MAXIMUM,
          label: 'waiting of quiet tenants',
        }),
      ],
    ],
    [
      'Dead letters',
      [
        deadLetters.metricApproximateNumberOfMessagesVisible({ ...MAXIMUM, label: 'in the DLQ' }),
        ownMetric(names.deadLetters, 'Sum', { label: 'given up' }),
      ],
    ],
  );
}

function worker({ functions }: Watched, { worker: settings }: LonghaulConfig): IWidget[] {
  const fn = functions.worker;
  const running = fn.metric('ConcurrentExecutions', { ...MAXIMUM, label: 'running' });
  return row(
    [
      'Worker concurrency and maximum',
      // Two queues, each with an event source mapping of this maximum.
      [running, formula(`TIME_SERIES(${2 * settings.maxConcurrency})`, {}, 'maximum')],
    ],
    [
      'Jobs per invocation, use of time',
      [ownMetric(names.jobsPerInvocation, 'Average', { label: 'jobs' })],
      [ownMetric(names.slotUsePercent, 'Average', { label: 'use (%)' })],
    ],
    [
      'Worker errors and throttles',
      [
        fn.metricErrors({ ...SUM, label: 'errors' }),
        fn.metricThrottles({ ...SUM, label: 'throttles' }),
        ownMetric(names.agentMissing, 'Sum', { label: 'agent missing' }),
        ownMetric(names.agentRefused, 'Sum', { label: 'agent refused' }),
      ],
    ],
    [
      'Slices (ms), early yields',
      [...percentiles(names.sliceMs)],
      [ownMetric(names.earlyYields, 'Sum', { label: 'early yields' })],
    ],
  );
}

/** A row for each lane beside the default one. */
function lanes({ queue, lanes: workers }: Watched): IWidget[][] {
  return queue.lanes.flatMap(({ name, jobs: jobsQueue, isolation, settings }) => {
    const fn = workers[name];
    if (fn === undefined) return [];
    return [
      row(
        [
          `${name}: messages waiting`,
          [
            jobsQueue.metricApproximateNumberOfMessagesVisible({ ...MAXIMUM, label: 'waiting' }),
            isolation.metricApproximateNumberOfMessagesVisible({ ...MAXIMUM, label: 'isolation' }),
          ],
        ],
        [
          `${name}: age of the oldest message (s)`,
          [jobsQueue.metricApproximateAgeOfOldestMessage({ ...MAXIMUM, label: 'jobs' })],
        ],
        [
          `${name}: concurrency and maximum`,
          [
            fn.metric('ConcurrentExecutions', { ...MAXIMUM, label: 'running' }),
            formula(`TIME_SERIES(${2 * settings.maxConcurrency})`, {}, 'maximum'),
          ],
        ],
        [
          `${name}: errors and throttles`,
          [
            fn.metricErrors({ ...SUM, label: 'errors' }),
            fn.metricThrottles({ ...SUM, label: 'throttles' }),
          ],
        ],
      ),
    ];
  });
}

function recovery({ outOfMemory }: Watched): IWidget[] {
  return row(
    ['Finds of the sweeper by kind', [ownMetricBy(names.sweeperFinds, 'kind')]],
    [
      'Sweeper looks, overdue jobs',
      [ownMetric(names.sweeps, 'Sum', { label: 'looks' })],
      [ownMetric(names.overdueJobs, 'Sum', { label: 'overdue' })],
    ],
    [
      'Leases, conflicts, memory',
      [
        ownMetric(names.leasesLost, 'Sum', { label: 'leases lost' }),
        ownMetric(names.journalConflicts, 'Sum', { label: 'journal conflicts' }),
        outOfMemory.metric({ ...SUM, label: 'out of memory' }),
      ],
    ],
    ['Accepted, but not enqueued', [ownMetric(names.enqueueFailed, 'Sum', { label: 'refused' })]],
  );
}

function notifications({ functions, notifications: { queue, undelivered } }: Watched): IWidget[] {
  return row(
    [
      'Webhooks',
      [
        ownMetric(names.notificationsDelivered, 'Sum', { label: 'delivered' }),
        ownMetric(names.notificationTriesFailed, 'Sum', { label: 'tries failed' }),
        ownMetric(names.notificationsGivenUp, 'Sum', { label: 'given up' }),
      ],
    ],
    [
      'Webhooks waiting',
      [
        queue.metricApproximateNumberOfMessagesVisible({ ...MAXIMUM, label: 'waiting' }),
        queue.metricApproximateNumberOfMessagesDelayed({ ...MAXIMUM, label: 'to be tried again' }),
        undelivered.metricApproximateNumberOfMessagesVisible({ ...MAXIMUM, label: 'in the DLQ' }),
      ],
    ],
    [
      'Notifier errors and throttles',
      [
        functions.notifier.metricErrors({ ...SUM, label: 'errors' }),
        functions.notifier.metricThrottles({ ...SUM, label: 'throttles' }),
      ],
    ],
  );
}

function surroundings({ api, tables }: Watched): IWidget[] {
  const capacity = (name: string) =>
    tables.map(({ table }, index) =>
      table.metric(name, { ...SUM, label: index === 0 ? 'jobs' : 'idempotency' }),
    );
  return row(
    ['API requests', [api.metricCount({ ...SUM, label: 'requests' })]],
    [
      'API errors',
      [
        api.metricClientError({ ...SUM, label: '4xx' }),
        api.metricServerError({ ...SUM, label: '5xx' }),
      ],
    ],
    [
      'API latency (ms)',
      ['p50', 'p95', 'p99'].map((statistic) =>
        api.metricLatency({ period: PERIOD, statistic, label: statistic }),
      ),
    ],
    [
      'Tables: write units and throttles',
      capacity('ConsumedWriteCapacityUnits'),
      capacity('WriteThrottleEvents'),
    ],
  );
}
