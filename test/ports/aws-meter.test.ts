import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { documentClient } from '../../src/adapters/dynamodb/document-client.ts';
import { metered } from '../../src/adapters/telemetry/aws-meter.ts';
import { type DynamoEmulator, startDynamo } from '../support/emulators.ts';

describe('requests to AWS are metered', () => {
  let dynamo: DynamoEmulator;
  let table: string;

  beforeAll(async () => {
    dynamo = await startDynamo();
    table = await dynamo.createTable();
  });

  afterAll(() => dynamo.stop());

  it('by their number and the units that the table reports, and the answers stay as they are', async () => {
    const counts: Record<string, number> = {};
    const client = metered(dynamo.connect(), {
      count: (metric, value = 1) => {
        counts[metric] = (counts[metric] ?? 0) + value;
      },
    });
    const documents = documentClient(client);
    const item = { pk: 'a', sk: 'b', text: 'x'.repeat(1_500) };

    await documents.send(new PutCommand({ TableName: table, Item: item }));
    const { Item } = await documents.send(
      new GetCommand({ TableName: table, Key: { pk: 'a', sk: 'b' }, ConsistentRead: true }),
    );
    client.destroy();

    expect(Item).toEqual(item);
    // 1.5 KB are two write units, and one strongly consistent read unit.
    expect(counts).toEqual({ AwsRequests: 2, WriteUnits: 2, ReadUnits: 1 });
  });
});
