import { Duration } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { environmentOf, workerEnvironment } from '../../src/settings/environment.ts';
import { METRICS } from '../../src/settings/names.ts';
import type { LonghaulConfig } from '../config.ts';
import type { Stores } from '../stores.ts';
import { ServiceFunction, tracingVariables } from './service-function.ts';

export interface WorkerProps {
  readonly config: LonghaulConfig;
  readonly stores: Stores;
  readonly agentsEntry: string;
}

/** Runs jobs: several of the jobs queue in one invocation, one alone from the isolation queue. */
export class Worker extends Construct {
  readonly function: ServiceFunction;
  /** Counts the lines by which Lambda says that the function ran out of memory; it has no metric for that. */
  readonly outOfMemory: MetricFilter;

  constructor(scope: Construct, id: string, { config, stores, agentsEntry }: WorkerProps) {
    super(scope, id);
    this.function = new ServiceFunction(this, 'Function', {
      entry: 'worker',
      description: 'Runs jobs step by step and keeps their journal',
      config,
      agentsEntry,
      timeout: Duration.seconds(config.worker.timeoutSeconds),
      memoryMb: config.worker.memoryMb,
      environment: environmentOf(workerEnvironment, {
        JOB_TABLE: stores.jobTable.table.tableName,
        PAYLOAD_BUCKET: stores.payloads.bucket.bucketName,
        JOB_QUEUE_URL: stores.queue.jobs.queueUrl,
        ISOLATION_QUEUE_URL: stores.queue.isolation.queueUrl,
        DEAD_LETTER_QUEUE_URL: stores.queue.deadLetters.queueUrl,
        NOTIFICATION_QUEUE_URL: stores.notifications.queue.queueUrl,
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
    this.#subscribe(config.worker, stores);
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
      queue.jobs.queueArn,
      queue.isolation.queueArn,
      queue.deadLetters.queueArn,
      notifications.queue.queueArn,
    );
  }

  #subscribe(worker: LonghaulConfig['worker'], { queue }: Stores): void {
    const shared = {
      reportBatchItemFailures: true,
      maxConcurrency: worker.maxConcurrency,
    };
    this.function.addEventSource(
      new SqsEventSource(queue.jobs, {
        ...shared,
        batchSize: worker.batchSize,
        ...(worker.batchingWindowSeconds > 0
          ? { maxBatchingWindow: Duration.seconds(worker.batchingWindowSeconds) }
          : {}),
      }),
    );
    this.function.addEventSource(new SqsEventSource(queue.isolation, { ...shared, batchSize: 1 }));
  }
}
