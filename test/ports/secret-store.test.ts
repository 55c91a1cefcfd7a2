import { afterAll, beforeAll } from '@jest/globals';
import { documentClient } from '../../src/adapters/dynamodb/document-client.ts';
import { dynamoSecretStore } from '../../src/adapters/dynamodb/secret-store.ts';
import { memorySecretStore } from '../../src/adapters/memory/secret-store.ts';
import { NOON } from '../support/builders.ts';
import { type DynamoEmulator, startDynamo } from '../support/emulators.ts';
import { describeSecretStore } from './describe-secret-store.ts';

let dynamo: DynamoEmulator;

beforeAll(async () => {
  dynamo = await startDynamo();
});

afterAll(() => dynamo.stop());

describeSecretStore('memory', () => Promise.resolve(memorySecretStore()));
describeSecretStore('DynamoDB emulator', async () => {
  const name = await dynamo.createTable();
  const clock = { now: () => NOON };
  return dynamoSecretStore({ client: documentClient(dynamo.client), name, clock });
});
