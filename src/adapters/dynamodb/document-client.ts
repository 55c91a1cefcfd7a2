import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { AWS_CLIENT } from '../../settings/aws-client.ts';

/** The client these adapters work with. */
export function documentClient(
  client: DynamoDBClient = new DynamoDBClient(AWS_CLIENT),
): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}
