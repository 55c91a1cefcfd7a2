import { Aws, Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IWidget,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { ALARMS, METRICS, type MetricName } from '../../src/settings/names.ts';
import type { JobQueue } from './job-queue.ts';

const PERIOD = Duration.minutes(1);

export interface MonitoringProps {
  readonly queue: JobQueue;
}

/** The first look at a deployment: one dashboard, and the alarm that means somebody has to act. */
export class Monitoring extends Construct {
  readonly dashboard: Dashboard;
  readonly dashboardUrl: string;
  /** Alarms by name of their runbook section; add actions as you like. */
  readonly alarms: { readonly deadLetterQueueNotEmpty: Alarm };

  constructor(scope: Construct, id: string, { queue }: MonitoringProps) {
    super(scope, id);
    this.alarms = { deadLetterQueueNotEmpty: this.#deadLetterAlarm(queue) };
    this.dashboard = new Dashboard(this, 'Dashboard', { defaultInterval: Duration.hours(3) });
    this.dashboard.addWidgets(...queueWidgets(queue));
    this.dashboard.addWidgets(jobsByOutcome(), endToEnd());
    const { dashboardName } = this.dashboard;
    this.dashboardUrl = `https://${Aws.REGION}.console.aws.amazon.com/cloudwatch/home?region=${Aws.REGION}#dashboards:name=${dashboardName}`;
  }

  #deadLetterAlarm({ deadLetters }: JobQueue): Alarm {
    return new Alarm(this, 'DeadLetterQueueNotEmpty', {
      alarmName: this.#alarmName(ALARMS.deadLetterQueueNotEmpty),
      alarmDescription: `a job was given up or a message could not be read; see ${ALARMS.deadLetterQueueNotEmpty} in docs/runbook.md`,
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({
        period: PERIOD,
        statistic: 'Maximum',
      }),
      threshold: 0,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  /** `<stack>/<path of the construct>/<name>`: unique in the account, and its end is the heading in the runbook. */
  #alarmName(name: string): string {
    const { stackName, node } = Stack.of(this);
    const path = this.node.scopes.slice(node.scopes.length, -1).map((scope) => scope.node.id);
    return [stackName, ...path, name].join('/');
  }
}

function queueWidgets({ jobs, isolation, deadLetters }: JobQueue): IWidget[] {
  const maximum = { period: PERIOD, statistic: 'Maximum' };
  return [
    new GraphWidget({
      title: 'Messages waiting',
      left: [
        jobs.metricApproximateNumberOfMessagesVisible({ ...maximum, label: 'jobs' }),
        isolation.metricApproximateNumberOfMessagesVisible({ ...maximum, label: 'isolation' }),
      ],
    }),
    new GraphWidget({
      title: 'Age of the oldest message (s)',
      left: [
        jobs.metricApproximateAgeOfOldestMessage({ ...maximum, label: 'jobs' }),
        isolation.metricApproximateAgeOfOldestMessage({ ...maximum, label: 'isolation' }),
      ],
    }),
    new GraphWidget({
      title: 'Dead letters',
      left: [
        deadLetters.metricApproximateNumberOfMessagesVisible({ ...maximum, label: 'in the DLQ' }),
      ],
    }),
  ];
}

function jobsByOutcome(): IWidget {
  const { jobsSubmitted, jobsSucceeded, jobsFailed, jobsCancelled } = METRICS.names;
  return new GraphWidget({
    title: 'Jobs by outcome',
    width: 12,
    left: [jobsSubmitted, jobsSucceeded, jobsFailed, jobsCancelled].map((name) =>
      ownMetric(name, 'Sum'),
    ),
  });
}

function endToEnd(): IWidget {
  return new GraphWidget({
    title: 'From submit to the end (ms)',
    width: 12,
    left: ['p50', 'p99'].map((statistic) => ownMetric(METRICS.names.endToEndMs, statistic)),
  });
}

function ownMetric(metricName: MetricName, statistic: string): Metric {
  return new Metric({
    namespace: METRICS.namespace,
    metricName,
    dimensionsMap: { service: METRICS.service },
    period: PERIOD,
    statistic,
    label: statistic === 'Sum' ? metricName : `${metricName} ${statistic}`,
  });
}
