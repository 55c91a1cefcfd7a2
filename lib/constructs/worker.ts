import { Duration } from 'aws-cdk-lib';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { environmentOf, workerEnvironment } from '../../src/settings/environment.ts';
import { METRICS } from '../../src/settings/names.ts';
import type { LonghaulConfig, WorkerConfig } from '../config.ts';
import type { Stores } from '../stores.ts';
import { consume } from './consume.ts';
import type { Lane, LaneQueues } from './job-queue.ts';
import { reservedBy, ServiceFunction, tracingVariables } from './service-function.ts';

export interface WorkerProps {
  readonly config: LonghaulConfig;
  readonly stores: Stores;
  readonly agentsEntry: string;
  /**
   * The lane it serves.
   * @default - the one of every agent that no other names
   */
  readonly lane?: Lane;
}

/** Runs the jobs of a lane: several of its jobs queue in one invocation, one alone from its isolation queue. */
export class Worker extends Construct {
  readonly function: ServiceFunction;
  /** Counts the lines by which Lambda says that the function ran out of memory; it has no metric for that. */
  readonly outOfMemory: MetricFilter;

  constructor(scope: Construct, id: string, { config, stores, agentsEntry, lane }: WorkerProps) {
    super(scope, id);
    const settings = lane?.settings ?? config.worker;
    this.function = new ServiceFunction(this, 'Function', {
      entry: 'worker',
      description: 'Runs jobs step by step and keeps their journal',
      config,
      key: stores.encryption.key,
      agentsEntry,
      timeout: Duration.seconds(settings.timeoutSeconds),
      memoryMb: settings.memoryMb,
      ...reservedBy(settings),
      environment: environmentOf(workerEnvironment, {
        JOB_TABLE: stores.jobTable.table.tableName,
        PAYLOAD_BUCKET: stores.payloads.bucket.bucketName,
        JOB_QUEUE_URL: stores.queue.jobs.queueUrl,
        ISOLATION_QUEUE_URL: stores.queue.isolation.queueUrl,
        DEAD_LETTER_QUEUE_URL: stores.queue.deadLetters.queueUrl,
        NOTIFICATION_QUEUE_URL: stores.notifications.queue.queueUrl,
        ...stores.queue.variables,
        ...(lane !== undefined && { LANE: lane.name }),
        ...stores.statusEvents.variables,
        LEASE_SECONDS: config.leaseSeconds,
        SUB_JOBS_MAX_DEPTH: config.subJobs.maxDepth,
        SUB_JOBS_MAX_PER_JOB: config.subJobs.maxPerJob,
        ...tracingVariables(config),
      }),
    });
    this.outOfMemory = new MetricFilter(this, 'OutOfMemory', {
      logGroup: this.function.logGroup,
      filterPattern: FilterPattern.anyTerm(
        'Runtime.OutOfMemory',
        'signal: killed',
        'heap out of memory',
      ),
      metricNamespace: METRICS.namespace,
      metricName: METRICS.names.outOfMemory,
    });
    this.#grant(stores);
    this.#subscribe(settings, lane ?? stores.queue);
  }

  #grant({ jobTable, payloads, queue, notifications, statusEvents }: Stores): void {
    statusEvents.grantTo(this.function);
    this.function.allow(
      ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'].map((name) => `dynamodb:${name}`),
      jobTable.table.tableArn,
    );
    this.function.allowObjects(['s3:GetObject', 's3:PutObject'], payloads.bucket);
    this.function.allow(
      ['sqs:SendMessage'],
      ...queue.jobsArns,
      ...queue.isolationArns,
      queue.deadLetters.queueArn,
      notifications.queue.queueArn,
    );
  }

  #subscribe(settings: WorkerConfig, queue: LaneQueues): void {
    const { maxConcurrency, batchSize, batchingWindowSeconds } = settings;
    consume(this.function, queue.jobs, {
      maxConcurrency,
      batchSize,
      ...(batchingWindowSeconds > 0 && {
        maxBatchingWindow: Duration.seconds(batchingWindowSeconds),
      }),
    });
    consume(this.function, queue.isolation, { maxConcurrency, batchSize: 1 });
    // What nobody can read is given back at once.
    this.function.allow(
      ['sqs:ChangeMessageVisibility'],
      queue.jobs.queueArn,
      queue.isolation.queueArn,
    );
  }
}
