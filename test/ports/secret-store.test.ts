import { dynamoSecretStore } from '../../src/adapters/dynamodb/secret-store.ts';
import { memorySecretStore } from '../../src/adapters/memory/secret-store.ts';
import { describeSecretStore } from './describe-secret-store.ts';
import { describeTableStores } from './describe-table-stores.ts';

describeTableStores(describeSecretStore, { memory: memorySecretStore, table: dynamoSecretStore });
