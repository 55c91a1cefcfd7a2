import { Duration } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { secured } from './queue-encryption.ts';

/** Longest invocation of the notifier: a try takes 15 s at most, and those of a batch run side by side. */
export const NOTIFIER_TIMEOUT_SECONDS = 30;

/** Receives of one message before SQS moves it to the DLQ by itself. */
const MAX_RECEIVE_COUNT = 5;

export interface NotificationQueueProps {
  readonly key: IKey | undefined;
}

/** Hints at notifications that are to be sent, and those that were given up. */
export class NotificationQueue extends Construct {
  readonly queue: Queue;
  readonly undelivered: Queue;

  constructor(scope: Construct, id: string, { key }: NotificationQueueProps) {
    super(scope, id);
    this.undelivered = new Queue(this, 'Undelivered', {
      ...secured(key),
      retentionPeriod: Duration.days(14),
    });
    this.queue = new Queue(this, 'Pending', {
      ...secured(key),
      // Below the 14 days of the DLQ, since a message keeps its age when it is moved there.
      retentionPeriod: Duration.days(4),
      visibilityTimeout: Duration.seconds(NOTIFIER_TIMEOUT_SECONDS + 30),
      deadLetterQueue: { queue: this.undelivered, maxReceiveCount: MAX_RECEIVE_COUNT },
    });
  }
}
