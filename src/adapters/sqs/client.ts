import { SQSClient } from '@aws-sdk/client-sqs';
import { AWS_CLIENT } from '../../settings/aws-client.ts';

/** Queue URLs name queues and not endpoints: an emulator's URL holds a host name that nobody resolves. */
export function sqsClient(): SQSClient {
  return new SQSClient({ ...AWS_CLIENT, useQueueUrlAsEndpoint: false });
}
