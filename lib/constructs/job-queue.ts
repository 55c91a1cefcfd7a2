import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { QUEUE } from '../../src/settings/defaults.ts';
import { queueRisks } from '../../src/sizing/queue-risks.ts';
import { ConfigError } from '../config-error.ts';
import type { LonghaulConfig } from '../config.ts';

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
    checkRisks(config);
    // No RedriveAllowPolicy by queue: it would name the queues whose RedrivePolicy names this one, a dependency cycle.
    this.deadLetters = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(QUEUE.deadLetterRetentionDays),
    });
    this.jobs = this.#queue('Jobs', config.worker.batchingWindowSeconds, config);
    this.isolation = this.#queue('Isolation', 0, config);
  }

  #queue(id: string, batchingWindowSeconds: number, { worker }: LonghaulConfig): Queue {
    return new Queue(this, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(QUEUE.retentionDays),
      visibilityTimeout: Duration.seconds(
        worker.timeoutSeconds + batchingWindowSeconds + QUEUE.visibilityMarginSeconds,
      ),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: QUEUE.maxReceiveCount },
    });
  }
}

/** The same rules that `longhaul size` warns of. */
function checkRisks({ worker }: LonghaulConfig): void {
  const day = 86_400;
  const risks = queueRisks({
    functionTimeoutSeconds: worker.timeoutSeconds,
    batchingWindowSeconds: worker.batchingWindowSeconds,
    visibilityTimeoutSeconds:
      worker.timeoutSeconds + worker.batchingWindowSeconds + QUEUE.visibilityMarginSeconds,
    maxConcurrency: worker.maxConcurrency,
    mappings: 2,
    maxReceiveCount: QUEUE.maxReceiveCount,
    retentionSeconds: QUEUE.retentionDays * day,
    deadLetterRetentionSeconds: QUEUE.deadLetterRetentionDays * day,
  });
  if (risks.length > 0) throw new ConfigError(risks);
}
