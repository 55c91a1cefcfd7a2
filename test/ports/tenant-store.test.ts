import { dynamoTenantStore } from '../../src/adapters/dynamodb/tenant-store.ts';
import { memoryTenantStore } from '../../src/adapters/memory/tenant-store.ts';
import { describeTenantStore } from './describe-tenant-store.ts';
import { describeTableStores } from './describe-table-stores.ts';

describeTableStores(describeTenantStore, { memory: memoryTenantStore, table: dynamoTenantStore });
