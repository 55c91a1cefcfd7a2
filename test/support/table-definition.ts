import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { INDEXES, TABLE_KEYS } from '../../src/settings/names.ts';

/** The job table as the stack declares it; a template test keeps the two alike. */
export function tableDefinition(name: string): CreateTableCommandInput {
  const indexes = Object.values(INDEXES);
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      ...[TABLE_KEYS.partition, TABLE_KEYS.sort, ...indexes.map((index) => index.partition)].map(
        (attribute) => ({ AttributeName: attribute, AttributeType: 'S' as const }),
      ),
      ...indexes.map((index) => ({ AttributeName: index.sort, AttributeType: 'N' as const })),
    ],
    KeySchema: keySchema(TABLE_KEYS.partition, TABLE_KEYS.sort),
    GlobalSecondaryIndexes: indexes.map((index) => ({
      IndexName: index.name,
      KeySchema: keySchema(index.partition, index.sort),
      Projection: { ProjectionType: 'KEYS_ONLY' as const },
    })),
  };
}

function keySchema(partition: string, sort: string) {
  return [
    { AttributeName: partition, KeyType: 'HASH' as const },
    { AttributeName: sort, KeyType: 'RANGE' as const },
  ];
}
