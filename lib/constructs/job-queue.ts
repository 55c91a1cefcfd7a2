import { Duration } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { QUEUE } from '../../src/settings/defaults.ts';
import { queueRisks } from '../../src/sizing/queue-risks.ts';
import { ConfigError } from '../config-error.ts';
import type { LonghaulConfig, WorkerConfig } from '../config.ts';
import { secured } from './queue-encryption.ts';
import { reservedBy } from './service-function.ts';

export interface JobQueueProps {
  readonly config: LonghaulConfig;
  readonly key: IKey | undefined;
}

/** The queues of one worker: for all of its jobs, and for those that must run alone. */
export interface LaneQueues {
  readonly jobs: Queue;
  readonly isolation: Queue;
}

/** A worker of its own for some agents. */
export interface Lane extends LaneQueues {
  readonly name: string;
  readonly agents: readonly string[];
  readonly settings: WorkerConfig;
}

/** Hints that a job wants a worker: for each lane the queue for all, the one for jobs taken from a dead invocation; one DLQ. */
export class JobQueue extends Construct implements LaneQueues {
  /** Of the default lane. */
  readonly jobs: Queue;
  /** Of the default lane. */
  readonly isolation: Queue;
  readonly deadLetters: Queue;
  /** Those that the configuration names beside the default one. */
  readonly lanes: readonly Lane[];
  readonly #key: IKey | undefined;

  constructor(scope: Construct, id: string, { config, key }: JobQueueProps) {
    super(scope, id);
    this.#key = key;
    // No RedriveAllowPolicy by queue: it would name the queues whose RedrivePolicy names this one, a dependency cycle.
    this.deadLetters = new Queue(this, 'DeadLetters', {
      ...secured(this.#key),
      retentionPeriod: Duration.days(QUEUE.deadLetterRetentionDays),
    });
    checkRisks('worker', config.worker);
    ({ jobs: this.jobs, isolation: this.isolation } = this.#pair(this, config.worker));
    this.lanes = Object.entries(config.workers).map(([name, { agents, ...own }]) => {
      const settings = { ...config.worker, ...own };
      checkRisks(`workers.${name}`, settings);
      return { name, agents, settings, ...this.#pair(new Construct(this, name), settings) };
    });
  }

  /** Every lane, the default one first. */
  get all(): readonly LaneQueues[] {
    return [this, ...this.lanes];
  }

  /** For the environment of a function that sends hints. */
  get variables(): { WORKER_LANES?: LaneVariable[] } {
    if (this.lanes.length === 0) return {};
    return {
      WORKER_LANES: this.lanes.map(({ name, agents, jobs, isolation }) => ({
        name,
        agents: [...agents],
        jobsUrl: jobs.queueUrl,
        isolationUrl: isolation.queueUrl,
      })),
    };
  }

  get jobsArns(): string[] {
    return this.all.map(({ jobs }) => jobs.queueArn);
  }

  get isolationArns(): string[] {
    return this.all.map(({ isolation }) => isolation.queueArn);
  }

  #pair(scope: Construct, settings: WorkerConfig): LaneQueues {
    return {
      jobs: this.#queue(scope, 'Jobs', settings.timeoutSeconds + settings.batchingWindowSeconds),
      isolation: this.#queue(scope, 'Isolation', settings.timeoutSeconds),
    };
  }

  #queue(scope: Construct, id: string, workedOnSeconds: number): Queue {
    return new Queue(scope, id, {
      ...secured(this.#key),
      retentionPeriod: Duration.days(QUEUE.retentionDays),
      visibilityTimeout: Duration.seconds(workedOnSeconds + QUEUE.visibilityMarginSeconds),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: QUEUE.maxReceiveCount },
    });
  }
}

interface LaneVariable {
  name: string;
  agents: string[];
  jobsUrl: string;
  isolationUrl: string;
}

/** The same rules that `longhaul size` warns of. */
function checkRisks(path: string, worker: WorkerConfig): void {
  const day = 86_400;
  const risks = queueRisks({
    functionTimeoutSeconds: worker.timeoutSeconds,
    batchingWindowSeconds: worker.batchingWindowSeconds,
    visibilityTimeoutSeconds:
      worker.timeoutSeconds + worker.batchingWindowSeconds + QUEUE.visibilityMarginSeconds,
    maxConcurrency: worker.maxConcurrency,
    mappings: 2,
    ...reservedBy(worker),
    maxReceiveCount: QUEUE.maxReceiveCount,
    retentionSeconds: QUEUE.retentionDays * day,
    deadLetterRetentionSeconds: QUEUE.deadLetterRetentionDays * day,
  });
  if (risks.length > 0) throw new ConfigError(risks.map((risk) => `${path}: ${risk}`));
}
