import { Duration } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { QUEUE } from '../../src/settings/defaults.ts';
import { queueRisks } from '../../src/sizing/queue-risks.ts';
import { ConfigError } from '../config-error.ts';
import type { LonghaulConfig } from '../config.ts';
import { secured } from './queue-encryption.ts';

export interface JobQueueProps {
  readonly config: LonghaulConfig;
  readonly key: IKey | undefined;
}

/** Hints that a job wants a worker: the queue for all, the one for jobs taken from a dead invocation, and their DLQ. */
export class JobQueue extends Construct {
  readonly jobs: Queue;
  readonly isolation: Queue;
  readonly deadLetters: Queue;
  readonly #key: IKey | undefined;

  constructor(scope: Construct, id: string, { config, key }: JobQueueProps) {
    super(scope, id);
    this.#key = key;
    checkRisks(config);
    // No RedriveAllowPolicy by queue: it would name the queues whose RedrivePolicy names this one, a dependency cycle.
    this.deadLetters = new Queue(this, 'DeadLetters', {
      ...secured(this.#key),
      retentionPeriod: Duration.days(QUEUE.deadLetterRetentionDays),
    });
    this.jobs = this.#queue('Jobs', config.worker.batchingWindowSeconds, config);
    this.isolation = this.#queue('Isolation', 0, config);
  }

  #queue(id: string, batchingWindowSeconds: number, { worker }: LonghaulConfig): Queue {
    return new Queue(this, id, {
      ...secured(this.#key),
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
