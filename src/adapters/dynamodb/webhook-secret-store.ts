import type { WebhookSecret, WebhookSecretStore } from '../../core/ports/webhook-secret-store.ts';
import { attempt } from './attempt.ts';
import { webhookSecretsKey } from './keys.ts';
import { type Table, getItem, putItem } from './table.ts';

/** One item for each tenant that a webhook was ever signed for. */
export function dynamoWebhookSecretStore(table: Table): WebhookSecretStore {
  return {
    list: async (tenantId) => {
      const item = await getItem(table, webhookSecretsKey(tenantId));
      return item === undefined ? [] : (JSON.parse(item.secrets as string) as WebhookSecret[]);
    },
    replace: (tenantId, next, seen) => replace(table, { tenantId, next, seen }),
  };
}

async function replace(
  table: Table,
  change: {
    readonly tenantId: string;
    readonly next: readonly WebhookSecret[];
    readonly seen: readonly WebhookSecret[];
  },
): Promise<boolean> {
  const { tenantId, next, seen } = change;
  const isFirst = seen.length === 0;
  const put = await attempt(
    putItem(
      table,
      { ...webhookSecretsKey(tenantId), secrets: JSON.stringify(next) },
      {
        ConditionExpression: isFirst ? 'attribute_not_exists(#pk)' : '#secrets = :seen',
        ExpressionAttributeNames: isFirst ? { '#pk': 'pk' } : { '#secrets': 'secrets' },
        ...(isFirst ? {} : { ExpressionAttributeValues: { ':seen': JSON.stringify(seen) } }),
      },
    ),
  );
  return put.applied;
}
