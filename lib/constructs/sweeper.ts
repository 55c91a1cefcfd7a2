import { createHash } from 'node:crypto';
import { Aws, Duration, Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import { environmentOf, sweeperEnvironment } from '../../src/settings/environment.ts';
import type { LonghaulConfig } from '../config.ts';
import type { Stores } from '../stores.ts';
import { acknowledgeWildcard } from './acknowledge-wildcard.ts';
import { allowTidying } from './allow-tidying.ts';
import { ServiceFunction } from './service-function.ts';

/** The minute between two starts, and time to finish the last look. */
const TIMEOUT_SECONDS = 70;

export interface SweeperProps {
  readonly config: LonghaulConfig;
  readonly stores: Stores;
  /** The functions whose change makes a new deployment. */
  readonly others: readonly ServiceFunction[];
}

/**
 * Finds overdue jobs and re-drives them, every minute and several times within it. Two at once are harmless (each re-arms
 * before it acts), so no concurrency is reserved: that would take it from the account's pool, which may be 10.
 */
export class Sweeper extends Construct {
  readonly function: ServiceFunction;
  readonly schedule: Schedule;

  constructor(scope: Construct, id: string, { config, stores, others }: SweeperProps) {
    super(scope, id);
    this.function = new ServiceFunction(this, 'Function', {
      entry: 'sweeper',
      description: 'Finds overdue jobs and re-drives them',
      config,
      key: stores.encryption.key,
      timeout: Duration.seconds(TIMEOUT_SECONDS),
      memoryMb: 256,
      environment: environmentOf(sweeperEnvironment, {
        JOB_TABLE: stores.jobTable.table.tableName,
        JOB_QUEUE_URL: stores.queue.jobs.queueUrl,
        ISOLATION_QUEUE_URL: stores.queue.isolation.queueUrl,
        DEAD_LETTER_QUEUE_URL: stores.queue.deadLetters.queueUrl,
        NOTIFICATION_QUEUE_URL: stores.notifications.queue.queueUrl,
        ...stores.queue.variables,
        ...stores.statusEvents.variables,
        SWEEP_INTERVAL_SECONDS: config.sweepIntervalSeconds,
        DEPLOYMENT: deploymentOf(others),
        QUIET_AFTER_DEPLOY_MINUTES: config.alarms.quietAfterDeployMinutes,
      }),
    });
    this.#grant(stores);
    this.schedule = new Schedule(this, 'EveryMinute', {
      description: 'Starts the sweeper of Longhaul',
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      target: new LambdaInvoke(this.function, {
        role: this.#scheduleRole(),
        // The next minute's start makes up for one that failed.
        retryAttempts: 0,
        maxEventAge: Duration.minutes(1),
      }),
    });
  }

  #scheduleRole(): Role {
    const role = new Role(this, 'ScheduleRole', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    });
    acknowledgeWildcard(role, {
      resource: this.function,
      suffix: ':*',
      reason: 'the versions of one function, which is all that the schedule may start',
    });
    return role;
  }

  #grant({ jobTable, queue, notifications, statusEvents }: Stores): void {
    statusEvents.grantTo(this.function);
    this.function.allow(['dynamodb:Query'], jobTable.dueIndexArn);
    this.function.allow(
      // A job that ended by crashes still ends its sub-jobs: they are read from its journal.
      ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'].map((name) => `dynamodb:${name}`),
      jobTable.table.tableArn,
    );
    this.function.allow(
      ['sqs:SendMessage'],
      ...queue.jobsArns,
      ...queue.isolationArns,
      queue.deadLetters.queueArn,
      notifications.queue.queueArn,
    );
    this.function.allow(['sqs:GetQueueAttributes'], ...queue.jobsArns, queue.deadLetters.queueArn);
    allowTidying(this.function, queue);
  }
}

/** The same for the same code of the functions, whenever and wherever it is synthesized. */
function deploymentOf(functions: readonly ServiceFunction[]): string {
  const codes = functions.map(
    (fn) => Stack.of(fn).resolve((fn.node.defaultChild as CfnFunction).code) as unknown,
  );
  return createHash('sha256').update(JSON.stringify(codes)).digest('hex').slice(0, 16);
}
