import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { workerHandler } from '../../lambdas/events/worker-handler.ts';
import { batchRoute } from '../../lambdas/http/batch-route.ts';
import { httpHandler } from '../../lambdas/http/http-handler.ts';
import { submitRoute } from '../../lambdas/http/submit-route.ts';
import { documentClient } from '../../src/adapters/dynamodb/document-client.ts';
import { dynamoJobStore } from '../../src/adapters/dynamodb/job-store.ts';
import { dynamoUsageStore } from '../../src/adapters/dynamodb/usage-store.ts';
import { powertoolsRunOnce } from '../../src/adapters/idempotency/powertools-run-once.ts';
import { s3PayloadStore } from '../../src/adapters/s3/payload-store.ts';
import { sqsDeadLetterQueue } from '../../src/adapters/sqs/dead-letter-queue.ts';
import { sqsJobQueue } from '../../src/adapters/sqs/job-queue.ts';
import { sqsNotificationQueue } from '../../src/adapters/sqs/notification-queue.ts';
import { sqsReturnMessage } from '../../src/adapters/sqs/return-message.ts';
import { DEFAULT_LANE } from '../../src/core/ports/job-queue.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { systemIdSource } from '../../src/adapters/system/id-source.ts';
import { metered } from '../../src/adapters/telemetry/aws-meter.ts';
import type { FlushableTelemetry } from '../../src/adapters/telemetry/powertools-telemetry.ts';
import type { FlushableTracing } from '../../src/adapters/telemetry/span-tree.ts';
import type { JobStore } from '../../src/core/ports/job-store.ts';
import { registry } from './agents.ts';
import { type CountedRequest, countRequests, countTableRequests } from './count-requests.ts';
import {
  type DynamoEmulator,
  type QueueAndBucketEmulator,
  startDynamo,
  startQueuesAndBuckets,
} from './emulators.ts';
import { anEvent, bodyOf, LAMBDA_CONTEXT, recordingTelemetry } from './http.ts';

/** Real submit and worker handlers over the emulators, with every request to AWS counted. */
export interface BudgetWorld {
  readonly requests: readonly CountedRequest[];
  readonly jobs: JobStore;
  /** Submits a job as a client with an idempotency key does; answers its id. */
  submit(agent: string, input: unknown, headers?: Record<string, string>): Promise<string>;
  /** Submits jobs with one request, each under a key unless `isKeyed` says otherwise. */
  submitBatch(count: number, options: { readonly isKeyed: boolean }): Promise<void>;
  /** What an event source mapping does: receives a batch, invokes the worker, deletes the batch. Answers its size. */
  deliver(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * No timer fires: on a machine that is slow for a second progress would be written in a page of its own, and the figures
 * would depend on the machine.
 */
const TIMELESS = { ...systemClock, setTimer: () => () => undefined };
const INVOCATION = {
  awsRequestId: '7f0d6c1e-52b1-4b51-a9d2-6b5a2f9d3c11',
  getRemainingTimeInMillis: () => 300_000,
};
const BATCH_SIZE = 10;

export interface BudgetWorldOptions {
  /** Default: one that writes nothing. */
  readonly telemetry?: FlushableTelemetry;
  /** Default: none. */
  readonly tracing?: FlushableTracing;
}

export async function startBudgetWorld(options: BudgetWorldOptions = {}): Promise<BudgetWorld> {
  const [dynamo, queues] = await Promise.all([startDynamo(), startQueuesAndBuckets()]);
  const requests: CountedRequest[] = [];
  const client = dynamo.connect();
  countTableRequests(client, dynamo.client, requests);
  const sqs = queues.connectSqs();
  countRequests(sqs, requests);
  if (options.telemetry !== undefined) {
    // As the functions do, since it adds to what they write.
    metered(client, options.telemetry);
    metered(sqs, options.telemetry);
  }
  const parts = await createParts(dynamo, queues, { client, sqs, ...options });
  countRequests(queues.s3, requests);
  return {
    requests,
    jobs: parts.jobs,
    submit: submitter(parts),
    submitBatch: (count, { isKeyed }) => submitBatch(parts, count, isKeyed),
    deliver: () => deliver(parts),
    stop: async () => {
      client.destroy();
      sqs.destroy();
      await Promise.all([dynamo.stop(), queues.stop()]);
    },
  };
}

interface PartsOptions extends BudgetWorldOptions {
  readonly client: DynamoDBClient;
  readonly sqs: SQSClient;
}

type Parts = Awaited<ReturnType<typeof createParts>>;

async function createParts(
  dynamo: DynamoEmulator,
  queues: QueueAndBucketEmulator,
  { client, sqs, telemetry = recordingTelemetry(), tracing }: PartsOptions,
) {
  const [name, tableName, bucket] = await Promise.all([
    dynamo.createTable(),
    createIdempotencyTable(dynamo.client),
    queues.createBucket(),
  ]);
  const [jobsUrl, deadLettersUrl, notificationsUrl] = [
    queues.createQueue(),
    queues.createQueue(),
    queues.createQueue(),
  ];
  const jobs = dynamoJobStore({ client: documentClient(client), name, clock: systemClock });
  const shared = {
    jobs,
    payloads: s3PayloadStore({ client: queues.s3, bucket }),
    queue: sqsJobQueue({ client: sqs, jobsUrl }),
    clock: TIMELESS,
    ids: systemIdSource,
    telemetry,
    ...(tracing !== undefined && { tracing }),
    agents: registry,
    notifications: sqsNotificationQueue({ client: sqs, url: notificationsUrl }),
    tenantEndpoints: () => Promise.resolve([]),
    subJobs: { maxDepth: 5, maxPerJob: 1_000 },
    usage: dynamoUsageStore({ client: documentClient(client), name, clock: systemClock }),
  };
  const runOnce = powertoolsRunOnce({ client, tableName });
  const accepting = {
    ...shared,
    runOnce,
    hints: shared.queue,
    retentionDays: 90,
    webhooks: { allowLoopback: false },
  };
  return {
    jobs,
    sqs,
    jobsUrl,
    submit: httpHandler(shared.telemetry, submitRoute(accepting)),
    batch: httpHandler(shared.telemetry, batchRoute(accepting)),
    worker: workerHandler({
      engine: { ...shared, deadLetters: sqsDeadLetterQueue({ client: sqs, url: deadLettersUrl }) },
      leaseMs: 60_000,
      lane: { name: DEFAULT_LANE, agents: [] },
      isIsolated: () => false,
      returnMessage: sqsReturnMessage({ client: sqs, queueUrls: [jobsUrl] }),
      flush: () => {
        telemetry.flush();
      },
    }),
  };
}

async function submitBatch({ batch }: Parts, count: number, isKeyed: boolean): Promise<void> {
  const jobs = Array.from({ length: count }, () => ({
    agent: 'five-steps',
    input: {},
    ...(isKeyed && { idempotencyKey: randomUUID() }),
  }));
  const event = anEvent({ resource: '/jobs/batch', body: JSON.stringify({ jobs }) });
  const { outcomes } = bodyOf(await batch(event, LAMBDA_CONTEXT)) as {
    outcomes: { status: number }[];
  };
  if (outcomes.some(({ status }) => status !== 202)) throw new Error('an entry was refused');
}

async function createIdempotencyTable(client: DynamoDBClient): Promise<string> {
  const name = `idempotency-${randomUUID()}`;
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    }),
  );
  return name;
}

function submitter({ submit }: Parts): BudgetWorld['submit'] {
  return async (agent, input, more) => {
    const body = JSON.stringify({ agent, input });
    const headers = { 'idempotency-key': randomUUID(), ...more };
    const result = await submit(anEvent({ body, headers }), LAMBDA_CONTEXT);
    if (result.statusCode !== 202) throw new Error(`submit answered ${result.body}`);
    return bodyOf(result).jobId as string;
  };
}

async function deliver({ sqs, jobsUrl, worker }: Parts): Promise<number> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: jobsUrl,
      MaxNumberOfMessages: BATCH_SIZE,
      WaitTimeSeconds: 20,
    }),
  );
  const { batchItemFailures } = await worker({ Records: Messages.map(record) }, INVOCATION);
  if (batchItemFailures.length > 0) throw new Error('the worker gave messages back');
  await sqs.send(
    new DeleteMessageBatchCommand({
      QueueUrl: jobsUrl,
      Entries: Messages.map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle })),
    }),
  );
  return Messages.length;
}

function record({ MessageId = '', ReceiptHandle = '', Body = '' }: Message): SQSRecord {
  return { messageId: MessageId, receiptHandle: ReceiptHandle, body: Body } as SQSRecord;
}
