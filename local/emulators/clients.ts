import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Agent } from 'node:http';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { REGION } from '../template/identity.ts';

export interface Endpoints {
  readonly dynamodb: string;
  readonly sqs: string;
  readonly s3: string;
  /** Buses of EventBridge. */
  readonly events: string;
  /** EventBridge Scheduler. */
  readonly scheduler: string;
}

/** The emulators check no signature, but the SDK wants something to sign with. */
export const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' } as const;

export function emulatorClients(endpoints: Endpoints) {
  const common = { region: REGION, credentials: CREDENTIALS };
  const clients = {
    dynamodb: new DynamoDBClient({ ...common, endpoint: endpoints.dynamodb }),
    sqs: new SQSClient({
      ...common,
      endpoint: endpoints.sqs,
      useQueueUrlAsEndpoint: false,
      // Every long poll holds a socket, and large batches are deleted ten messages at a time.
      requestHandler: { httpAgent: new Agent({ keepAlive: true, maxSockets: 500 }) },
    }),
    s3: new S3Client({ ...common, endpoint: endpoints.s3, forcePathStyle: true }),
  };
  return {
    ...clients,
    destroy: () => {
      Object.values(clients).forEach((client) => {
        client.destroy();
      });
    },
  };
}

export type EmulatorClients = ReturnType<typeof emulatorClients>;
