import { afterAll, beforeAll } from '@jest/globals';
import { documentClient } from '../../src/adapters/dynamodb/document-client.ts';
import { dynamoWebhookSecretStore } from '../../src/adapters/dynamodb/webhook-secret-store.ts';
import { memoryWebhookSecretStore } from '../../src/adapters/memory/webhook-secret-store.ts';
import { NOON } from '../support/builders.ts';
import { type DynamoEmulator, startDynamo } from '../support/emulators.ts';
import { describeWebhookSecretStore } from './describe-webhook-secret-store.ts';

let dynamo: DynamoEmulator;

beforeAll(async () => {
  dynamo = await startDynamo();
});

afterAll(() => dynamo.stop());

describeWebhookSecretStore('memory', () => Promise.resolve(memoryWebhookSecretStore()));
describeWebhookSecretStore('DynamoDB emulator', async () => {
  const name = await dynamo.createTable();
  const clock = { now: () => NOON };
  return dynamoWebhookSecretStore({ client: documentClient(dynamo.client), name, clock });
});
