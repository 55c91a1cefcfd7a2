import { afterAll, beforeAll } from '@jest/globals';
import { documentClient } from '../../src/adapters/dynamodb/document-client.ts';
import type { Table } from '../../src/adapters/dynamodb/table.ts';
import { NOON } from '../support/builders.ts';
import { type DynamoEmulator, startDynamo } from '../support/emulators.ts';

/** One suite for the memory adapter of a store and for the one on a table; each store it makes is a new one. */
export function describeTableStores<Store>(
  describeStore: (name: string, make: () => Promise<Store>) => void,
  make: { readonly memory: () => Store; readonly table: (table: Table) => Store },
): void {
  let dynamo: DynamoEmulator;

  beforeAll(async () => {
    dynamo = await startDynamo();
  });

  afterAll(() => dynamo.stop());

  describeStore('memory', () => Promise.resolve(make.memory()));
  describeStore('DynamoDB emulator', async () => {
    const name = await dynamo.createTable();
    const clock = { now: () => NOON };
    return make.table({ client: documentClient(dynamo.client), name, clock });
  });
}
