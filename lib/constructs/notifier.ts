import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { environmentOf, notifierEnvironment } from '../../src/settings/environment.ts';
import type { LonghaulConfig } from '../config.ts';
import type { Stores } from '../stores.ts';
import { consume } from './consume.ts';
import { NOTIFIER_TIMEOUT_SECONDS } from './notification-queue.ts';
import { ServiceFunction, tracingVariables } from './service-function.ts';

/** Tries of one invocation, side by side. */
const BATCH_SIZE = 10;

/** 500 tries at a time: slow receivers must not take the concurrency of the account. */
const MAX_CONCURRENCY = 50;

export interface NotifierProps {
  readonly config: LonghaulConfig;
  readonly stores: Stores;
}

/** Sends webhooks. It has no VPC: what it reaches is what anybody on the internet reaches. */
export class Notifier extends Construct {
  readonly function: ServiceFunction;

  constructor(scope: Construct, id: string, { config, stores }: NotifierProps) {
    super(scope, id);
    const { jobTable, notifications } = stores;
    this.function = new ServiceFunction(this, 'Function', {
      entry: 'notifier',
      description: 'Sends signed webhooks and tries again what was not taken',
      config,
      key: stores.encryption.key,
      timeout: Duration.seconds(NOTIFIER_TIMEOUT_SECONDS),
      memoryMb: 256,
      environment: environmentOf(notifierEnvironment, {
        JOB_TABLE: jobTable.table.tableName,
        NOTIFICATION_QUEUE_URL: notifications.queue.queueUrl,
        UNDELIVERED_QUEUE_URL: notifications.undelivered.queueUrl,
        WEBHOOKS_FIRST_RETRY_SECONDS: config.webhooks.firstRetrySeconds,
        WEBHOOKS_GIVE_UP_HOURS: config.webhooks.giveUpHours,
        WEBHOOKS_ALLOW_LOOPBACK: config.webhooks.allowLoopback,
        ...tracingVariables(config),
      }),
    });
    this.function.allow(['dynamodb:GetItem', 'dynamodb:PutItem'], jobTable.table.tableArn);
    this.function.allow(
      ['sqs:SendMessage'],
      notifications.queue.queueArn,
      notifications.undelivered.queueArn,
    );
    consume(this.function, notifications.queue, {
      batchSize: BATCH_SIZE,
      maxConcurrency: MAX_CONCURRENCY,
    });
  }
}
