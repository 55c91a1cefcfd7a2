import { dynamoWebhookSecretStore } from '../../src/adapters/dynamodb/webhook-secret-store.ts';
import { memoryWebhookSecretStore } from '../../src/adapters/memory/webhook-secret-store.ts';
import { describeWebhookSecretStore } from './describe-webhook-secret-store.ts';
import { describeTableStores } from './describe-table-stores.ts';

describeTableStores(describeWebhookSecretStore, {
  memory: memoryWebhookSecretStore,
  table: dynamoWebhookSecretStore,
});
