import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * The client these adapters work with. A lost connection is given up after seconds instead of the SDK's endless wait, well
 * within a lease; a batch of 100 jobs writes in parallel, so it needs more sockets than the SDK's 50.
 */
export function documentClient(
  client: DynamoDBClient = new DynamoDBClient({
    maxAttempts: 5,
    requestHandler: {
      connectionTimeout: 1_000,
      requestTimeout: 5_000,
      httpsAgent: { maxSockets: 200 },
    },
  }),
): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}
