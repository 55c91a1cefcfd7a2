import { afterAll, beforeAll } from '@jest/globals';
import { dynamoApiKeyStore } from '../../src/adapters/dynamodb/api-key-store.ts';
import { documentClient } from '../../src/adapters/dynamodb/document-client.ts';
import { memoryApiKeyStore } from '../../src/adapters/memory/api-key-store.ts';
import { NOON } from '../support/builders.ts';
import { type DynamoEmulator, startDynamo } from '../support/emulators.ts';
import { describeApiKeyStore } from './describe-api-key-store.ts';

let dynamo: DynamoEmulator;

beforeAll(async () => {
  dynamo = await startDynamo();
});

afterAll(() => dynamo.stop());

describeApiKeyStore('memory', () => Promise.resolve(memoryApiKeyStore()));
describeApiKeyStore('DynamoDB emulator', async () => {
  const name = await dynamo.createTable();
  const clock = { now: () => NOON };
  return dynamoApiKeyStore({ client: documentClient(dynamo.client), name, clock });
});
