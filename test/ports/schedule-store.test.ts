import { dynamoScheduleStore } from '../../src/adapters/dynamodb/schedule-store.ts';
import { memoryScheduleStore } from '../../src/adapters/memory/schedule-store.ts';
import { describeScheduleStore } from './describe-schedule-store.ts';
import { describeTableStores } from './describe-table-stores.ts';

describeTableStores(describeScheduleStore, {
  memory: memoryScheduleStore,
  table: dynamoScheduleStore,
});
