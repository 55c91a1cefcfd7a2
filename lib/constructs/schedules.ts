import { Aws, type Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule, ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { environmentOf, schedulesEnvironment } from '../../src/settings/environment.ts';
import { SCHEDULED_TIME, TRIGGER_RETRY } from '../../src/settings/schedule-trigger.ts';
import type { LonghaulConfig } from '../config.ts';
import type { ConfiguredSchedule } from '../configured-schedules.ts';
import { keyStatements } from './key-use.ts';
import { schedulesAlias } from './schedules-alias.ts';
import type { Stores } from '../stores.ts';
import { ServiceFunction, tracingVariables } from './service-function.ts';

export interface SchedulesProps {
  readonly config: LonghaulConfig;
  readonly stores: Stores;
  /** File that exports the `registry` of agents. */
  readonly agentsEntry: string;
  readonly timeout: Duration;
  /** Those of the configuration. */
  readonly configured: readonly ConfiguredSchedule[];
}

/**
 * Submits jobs again and again: a function that serves the routes and is started when a schedule is due, and the group of
 * EventBridge Scheduler that holds one trigger for each schedule.
 */
export class Schedules extends Construct {
  readonly function: ServiceFunction;
  readonly group: ScheduleGroup;
  /** Whom EventBridge starts the function as. */
  readonly role: Role;

  constructor(scope: Construct, id: string, props: SchedulesProps) {
    super(scope, id);
    const { config, stores } = props;
    const { jobTable, queue, statusEvents } = stores;
    // Triggers are made of what the table holds; left behind they would start a function that is gone.
    this.group = new ScheduleGroup(this, 'Group', { removalPolicy: RemovalPolicy.DESTROY });
    this.role = new Role(this, 'TriggerRole', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: {
            'aws:SourceAccount': Aws.ACCOUNT_ID,
            'aws:SourceArn': this.group.scheduleGroupArn,
          },
        },
      }),
    });
    this.function = new ServiceFunction(this, 'Function', {
      entry: 'schedules',
      description: 'Keeps schedules, and submits their jobs when they are due',
      config,
      key: stores.encryption.key,
      agentsEntry: props.agentsEntry,
      aliases: schedulesAlias(this, props.configured),
      timeout: props.timeout,
      memoryMb: 512,
      // Where an event goes that failed three times.
      deadLetterQueue: queue.deadLetters,
      environment: environmentOf(schedulesEnvironment, {
        JOB_TABLE: jobTable.table.tableName,
        JOB_QUEUE_URL: queue.jobs.queueUrl,
        DEAD_LETTER_QUEUE_ARN: queue.deadLetters.queueArn,
        RETENTION_DAYS: config.retentionDays,
        WEBHOOKS_ALLOW_LOOPBACK: config.webhooks.allowLoopback,
        SCHEDULE_GROUP: this.group.scheduleGroupName,
        SCHEDULE_ROLE_ARN: this.role.roleArn,
        SCHEDULES_PER_TENANT: config.schedulesPerTenant,
        CORS_ORIGINS: config.corsOrigins,
        ...queue.variables,
        ...tracingVariables(config),
        ...statusEvents.variables,
      }),
    });
    this.#grant(stores);
    props.configured.forEach((one) => {
      this.#trigger(one, queue.deadLetters.queueArn);
    });
  }

  #grant({ encryption: { key }, jobTable, queue, statusEvents }: Stores): void {
    this.function.allow(
      ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'].map((name) => `dynamodb:${name}`),
      jobTable.table.tableArn,
    );
    this.function.allow(['sqs:SendMessage'], ...queue.jobsArns);
    this.function.allow(
      ['CreateSchedule', 'UpdateSchedule', 'DeleteSchedule'].map((name) => `scheduler:${name}`),
      this.#triggersArn,
    );
    this.function.addToRolePolicy(
      new PolicyStatement({
        actions: ['iam:PassRole'],
        resources: [this.role.roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
      }),
    );
    statusEvents.grantTo(this.function);
    this.role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: [this.function.functionArn],
      }),
    );
    this.role.addToPolicy(
      new PolicyStatement({
        actions: ['sqs:SendMessage'],
        resources: [queue.deadLetters.queueArn],
      }),
    );
    for (const statement of keyStatements(key, ['sqs:SendMessage'])) {
      this.role.addToPolicy(statement);
    }
    Validations.of(this.function.role ?? this).acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/${this.group.scheduleGroupName}/*]`,
      reason: 'triggers are made for each schedule, in a group of their own',
    });
  }

  /** Of a schedule of the configuration: what it submits is bundled with the function. */
  #trigger({ tenantId, name, timing }: ConfiguredSchedule, deadLetterArn: string): void {
    const { expression, timezone, startAt, endAt } = timing;
    new CfnSchedule(this, `Trigger-${tenantId}-${name}`, {
      groupName: this.group.scheduleGroupName,
      description: `Schedule ${name} of tenant ${tenantId}`,
      scheduleExpression: expression,
      scheduleExpressionTimezone: timezone,
      flexibleTimeWindow: { mode: 'OFF' },
      ...(startAt !== undefined && { startDate: new Date(startAt).toISOString() }),
      ...(endAt !== undefined && { endDate: new Date(endAt).toISOString() }),
      target: {
        arn: this.function.functionArn,
        roleArn: this.role.roleArn,
        input: JSON.stringify({
          tenantId,
          schedule: name,
          scheduledAt: SCHEDULED_TIME,
        }),
        retryPolicy: TRIGGER_RETRY,
        deadLetterConfig: { arn: deadLetterArn },
      },
    });
  }

  /** Every schedule of the group. */
  get #triggersArn(): string {
    const group = this.group.scheduleGroupName;
    return `arn:${Aws.PARTITION}:scheduler:${Aws.REGION}:${Aws.ACCOUNT_ID}:schedule/${group}/*`;
  }
}
