import { afterAll, beforeAll } from '@jest/globals';
import { documentClient } from '../../src/adapters/dynamodb/document-client.ts';
import { dynamoTenantStore } from '../../src/adapters/dynamodb/tenant-store.ts';
import { memoryTenantStore } from '../../src/adapters/memory/tenant-store.ts';
import { NOON } from '../support/builders.ts';
import { type DynamoEmulator, startDynamo } from '../support/emulators.ts';
import { describeTenantStore } from './describe-tenant-store.ts';

let dynamo: DynamoEmulator;

beforeAll(async () => {
  dynamo = await startDynamo();
});

afterAll(() => dynamo.stop());

describeTenantStore('memory', () => Promise.resolve(memoryTenantStore()));
describeTenantStore('DynamoDB emulator', async () => {
  const name = await dynamo.createTable();
  const clock = { now: () => NOON };
  return dynamoTenantStore({ client: documentClient(dynamo.client), name, clock });
});
