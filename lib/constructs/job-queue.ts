import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { LonghaulConfig } from '../config.ts';

/** A message whose invocation died comes back after the worker's timeout and this. */
const VISIBILITY_MARGIN_SECONDS = 30;

/** Receives of one message before SQS moves it to the DLQ by itself: only messages nobody can read get there. */
const MAX_RECEIVE_COUNT = 5;

export interface JobQueueProps {
  readonly config: LonghaulConfig;
}

/** Hints that a job wants a worker: the queue for all, the one for jobs taken from a dead invocation, and their DLQ. */
export class JobQueue extends Construct {
  readonly jobs: Queue;
  readonly isolation: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { config }: JobQueueProps) {
    super(scope, id);
    // No RedriveAllowPolicy by queue: it would name the queues whose RedrivePolicy names this one, a dependency cycle.
    this.deadLetters = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.jobs = this.#queue('Jobs', config.worker.batchingWindowSeconds, config);
    this.isolation = this.#queue('Isolation', 0, config);
  }

  #queue(id: string, batchingWindowSeconds: number, { worker }: LonghaulConfig): Queue {
    return new Queue(this, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // Below the 14 days of the DLQ, since a message keeps its age when it is moved there.
      retentionPeriod: Duration.days(4),
      visibilityTimeout: Duration.seconds(
        worker.timeoutSeconds + batchingWindowSeconds + VISIBILITY_MARGIN_SECONDS,
      ),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: MAX_RECEIVE_COUNT },
    });
  }
}
