import { afterAll, beforeAll } from '@jest/globals';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { documentClient } from '../../src/adapters/dynamodb/document-client.ts';
import { dynamoJobStore } from '../../src/adapters/dynamodb/job-store.ts';
import { NOON } from '../support/builders.ts';
import { type DynamoEmulator, startDynamo } from '../support/emulators.ts';
import { returnOldItems } from '../support/return-old-items.ts';
import { describeJobStore } from './job-store/describe-job-store.ts';

let dynamo: DynamoEmulator;
let likeAws: DynamoDBClient;

beforeAll(async () => {
  dynamo = await startDynamo();
  likeAws = dynamo.connect();
  returnOldItems(likeAws, dynamo.client);
});

afterAll(async () => {
  likeAws.destroy();
  await dynamo.stop();
});

async function makeStore(client: DynamoDBClient) {
  const clock = { time: NOON, now: () => clock.time };
  const name = await dynamo.createTable();
  return { store: dynamoJobStore({ client: documentClient(client), name, clock }), clock };
}

describeJobStore('DynamoDB emulator', () => makeStore(dynamo.client));
describeJobStore('DynamoDB that returns refused items', () => makeStore(likeAws));
