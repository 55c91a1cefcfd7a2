import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { CreateTableCommand, DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import dynalite from 'dynalite';
import { startFauxqs } from 'fauxqs';
import { tableDefinition } from './table-definition.ts';

const ACCESS = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};

export interface DynamoEmulator {
  readonly endpoint: string;
  readonly client: DynamoDBClient;
  /** Another client, for a test that changes its middleware; the caller destroys it. */
  connect(): DynamoDBClient;
  /** A job table of its own for each test; answers its name. */
  createTable(): Promise<string>;
  stop(): Promise<void>;
}

/** dynalite on a free port. */
export async function startDynamo(): Promise<DynamoEmulator> {
  const server = dynalite({ createTableMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connect = () => new DynamoDBClient({ ...ACCESS, endpoint });
  const client = connect();
  return {
    endpoint,
    client,
    connect,
    createTable: async () => {
      const name = `jobs-${randomUUID()}`;
      await client.send(new CreateTableCommand(tableDefinition(name)));
      await active(client, name);
      return name;
    },
    stop: async () => {
      client.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Until its next turn dynalite knows nothing of a table it has created. */
async function active(client: DynamoDBClient, name: string): Promise<void> {
  for (;;) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    if (Table?.TableStatus === 'ACTIVE') return;
  }
}

export interface QueueAndBucketEmulator {
  readonly endpoint: string;
  readonly sqs: SQSClient;
  readonly s3: S3Client;
  /** Another client, for a test that changes its middleware; the caller destroys it. */
  connectSqs(): SQSClient;
  /** Answers the queue's URL. */
  createQueue(): string;
  createBucket(): Promise<string>;
  stop(): Promise<void>;
}

/** fauxqs on a free port: SQS and S3. */
export async function startQueuesAndBuckets(): Promise<QueueAndBucketEmulator> {
  const server = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
  const endpoint = `http://127.0.0.1:${server.port}`;
  // Its queue URLs hold a host name that nobody resolves.
  const connectSqs = () => new SQSClient({ ...ACCESS, endpoint, useQueueUrlAsEndpoint: false });
  const sqs = connectSqs();
  const s3 = new S3Client({ ...ACCESS, endpoint });
  return {
    endpoint,
    sqs,
    s3,
    connectSqs,
    createQueue: () => server.createQueue(`queue-${randomUUID()}`).queueUrl,
    createBucket: async () => {
      const bucket = `payloads-${randomUUID()}`;
      await s3.send(new CreateBucketCommand({ Bucket: bucket }));
      return bucket;
    },
    stop: async () => {
      sqs.destroy();
      s3.destroy();
      await server.stop();
    },
  };
}
