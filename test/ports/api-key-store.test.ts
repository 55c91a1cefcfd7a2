import { dynamoApiKeyStore } from '../../src/adapters/dynamodb/api-key-store.ts';
import { memoryApiKeyStore } from '../../src/adapters/memory/api-key-store.ts';
import { describeApiKeyStore } from './describe-api-key-store.ts';
import { describeTableStores } from './describe-table-stores.ts';

describeTableStores(describeApiKeyStore, { memory: memoryApiKeyStore, table: dynamoApiKeyStore });
