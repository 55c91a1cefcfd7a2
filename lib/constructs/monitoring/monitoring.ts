import { ArnFormat, Aws, Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmRule,
  AlarmState,
  ComparisonOperator,
  CompositeAlarm,
  Dashboard,
  type IAlarm,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { ALARMS, METRICS } from '../../../src/settings/names.ts';
import type { LonghaulConfig } from '../../config.ts';
import { type AlarmSpec, alarmSpecs, comparison } from './alarms.ts';
import { dashboardRows } from './dashboard.ts';
import { ownMetric } from './metrics.ts';
import { saveQueries } from './queries.ts';
import type { Watched } from './watched.ts';

export interface MonitoringProps {
  readonly config: LonghaulConfig;
  readonly watched: Watched;
}

/** What an operator has: the alarms with a topic that one alarm over all of them tells, the dashboard, saved queries of the logs. */
export class Monitoring extends Construct {
  /** Alarms by the name of their runbook section. They have no actions of their own: `anyAlarm` tells the topic. */
  readonly alarms: Readonly<Record<string, Alarm>>;
  /** In alarm while any other is, and quiet for some minutes after a deploy. */
  readonly anyAlarm: CompositeAlarm;
  /** Told when something goes wrong and when it is over; subscribe whoever is on call. */
  readonly topic: Topic;
  readonly dashboard: Dashboard;
  readonly dashboardUrl: string;

  constructor(scope: Construct, id: string, { config, watched }: MonitoringProps) {
    super(scope, id);
    const specs = alarmSpecs(watched, config);
    this.alarms = Object.fromEntries(specs.map((spec) => [spec.name, this.#alarm(spec, config)]));
    this.topic = this.#topic(config);
    this.anyAlarm = this.#anyAlarm(config);
    this.dashboard = new Dashboard(this, 'Dashboard', { defaultInterval: Duration.hours(3) });
    for (const row of dashboardRows(watched, { config, alarms: this.#alarmsByName(specs) })) {
      this.dashboard.addWidgets(...row);
    }
    const { dashboardName } = this.dashboard;
    this.dashboardUrl = `https://${Aws.REGION}.console.aws.amazon.com/cloudwatch/home?region=${Aws.REGION}#dashboards:name=${dashboardName}`;
    saveQueries(this, this.#path(), watched);
  }

  #alarm(spec: AlarmSpec, config: LonghaulConfig): Alarm {
    return new Alarm(this, spec.name, {
      alarmName: this.#nameOf(spec.name),
      alarmDescription: `${spec.description}. What to do: ${config.alarms.runbookUrl}#${spec.name.toLowerCase()}`,
      metric: spec.metric,
      threshold: spec.threshold,
      evaluationPeriods: spec.periods ?? 1,
      ...comparison(spec),
    });
  }

  /** By name and not by reference: the dashboard also works where one of them is left out. */
  #alarmsByName(specs: readonly AlarmSpec[]): IAlarm[] {
    return specs.map(({ name }) =>
      Alarm.fromAlarmArn(
        this,
        `${name}OnDashboard`,
        Stack.of(this).formatArn({
          service: 'cloudwatch',
          resource: 'alarm',
          resourceName: this.#nameOf(name),
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      ),
    );
  }

  #topic({ alarms: { email } }: LonghaulConfig): Topic {
    const topic = new Topic(this, 'Alarms', { enforceSSL: true });
    // A policy of ours, the one that denies plain HTTP, takes the place of SNS's own, which lets the account publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'Alarms',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    );
    if (email !== '') topic.addSubscription(new EmailSubscription(email));
    return topic;
  }

  #anyAlarm(config: LonghaulConfig): CompositeAlarm {
    const anyAlarm = new CompositeAlarm(this, ALARMS.anyAlarm, {
      compositeAlarmName: this.#nameOf(ALARMS.anyAlarm),
      alarmDescription: `Longhaul needs somebody: the reason names the alarm. What to do: ${config.alarms.runbookUrl}`,
      alarmRule: AlarmRule.anyOf(
        ...Object.values(this.alarms).map((alarm) => AlarmRule.fromAlarm(alarm, AlarmState.ALARM)),
      ),
      actionsSuppressor: this.#deploying(),
      actionsSuppressorWaitPeriod: Duration.minutes(2),
      actionsSuppressorExtensionPeriod: Duration.minutes(1),
    });
    anyAlarm.addAlarmAction(new SnsAction(this.topic));
    anyAlarm.addOkAction(new SnsAction(this.topic));
    return anyAlarm;
  }

  /** No trouble, but what keeps the others quiet: the sweeper knows when it first ran as a part of this deployment. */
  #deploying(): Alarm {
    return new Alarm(this, 'Deploying', {
      alarmName: this.#nameOf('Deploying'),
      alarmDescription: 'A deploy was minutes ago: AnyAlarm tells nobody meanwhile. Nothing to do.',
      metric: ownMetric(METRICS.names.deploying, 'Maximum'),
      threshold: 0,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  /** Unique in the account, and its end is the heading in the runbook. */
  #nameOf(name: string): string {
    return `${this.#path()}/${name}`;
  }

  /** `<stack>/<path of the construct>` */
  #path(): string {
    const { stackName, node } = Stack.of(this);
    const path = this.node.scopes.slice(node.scopes.length, -1).map((scope) => scope.node.id);
    return [stackName, ...path].join('/');
  }
}
