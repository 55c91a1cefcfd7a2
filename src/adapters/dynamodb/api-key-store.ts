import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { ApiKey, ApiKeyStore } from '../../core/ports/api-key-store.ts';
import { INDEXES, TABLE_KEYS } from '../../settings/names.ts';
import { attempt } from './attempt.ts';
import { API_KEYS_PARTITION, apiKeyKey, hashOf } from './keys.ts';
import { listPartition } from './list-partition.ts';
import { type Item, type Table, getItem, putItem } from './table.ts';

/** API keys; in the index `by-tenant` they share one partition, which is how `list` finds them without a scan. */
export function dynamoApiKeyStore(table: Table): ApiKeyStore {
  const find = (hash: string) => findKey(table, hash);
  return {
    find,
    put: (key) => putItem(table, toItem(key)),
    list: async () => {
      const hashes = (await listPartition(table, API_KEYS_PARTITION)).map(hashOf);
      const keys = await Promise.all(hashes.map(find));
      return keys.filter((key) => key !== undefined);
    },
    revoke: (hash, revokedAt) => revoke(table, hash, revokedAt),
  };
}

async function findKey(table: Table, hash: string): Promise<ApiKey | undefined> {
  const item = await getItem(table, apiKeyKey(hash));
  return item && fromItem(item);
}

async function revoke(table: Table, hash: string, revokedAt: number): Promise<boolean> {
  const result = await attempt(
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: apiKeyKey(hash),
        UpdateExpression: 'SET #revokedAt = if_not_exists(#revokedAt, :revokedAt)',
        ConditionExpression: 'attribute_exists(#pk)',
        ExpressionAttributeNames: { '#pk': TABLE_KEYS.partition, '#revokedAt': 'revokedAt' },
        ExpressionAttributeValues: { ':revokedAt': revokedAt },
      }),
    ),
  );
  return result.applied;
}

function toItem({ hash, ...attributes }: ApiKey): Item {
  return { ...apiKeyKey(hash), [INDEXES.byTenant.partition]: API_KEYS_PARTITION, ...attributes };
}

function fromItem(item: Item): ApiKey {
  const key = {
    hash: hashOf(item.pk as string),
    tenantId: item.tenantId as string,
    scopes: item.scopes as string[],
    prefix: item.prefix as string,
    createdAt: item.createdAt as number,
  };
  return item.revokedAt === undefined ? key : { ...key, revokedAt: item.revokedAt as number };
}
