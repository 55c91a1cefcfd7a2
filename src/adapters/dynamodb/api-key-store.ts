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
    expire: (hash, expiresAt) => expire(table, hash, expiresAt),
    noteUse: async (hash, usedAt) => {
      await setIfBeyond(table, hash, { name: 'lastUsedAt', value: usedAt, stored: '<' });
    },
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

async function expire(table: Table, hash: string, expiresAt: number): Promise<boolean> {
  const change = { name: 'expiresAt', value: expiresAt, stored: '>' } as const;
  if (await setIfBeyond(table, hash, change)) return true;
  // Refused: it ends earlier anyway, or there is no such key.
  return (await findKey(table, hash)) !== undefined;
}

/** Sets an instant of a key where there is none, or where the stored one compares like this to the new one. */
async function setIfBeyond(
  table: Table,
  hash: string,
  { name, value, stored }: { name: keyof ApiKey; value: number; stored: '<' | '>' },
): Promise<boolean> {
  const result = await attempt(
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: apiKeyKey(hash),
        UpdateExpression: 'SET #instant = :instant',
        ConditionExpression: `attribute_exists(#pk) AND (attribute_not_exists(#instant) OR #instant ${stored} :instant)`,
        ExpressionAttributeNames: { '#pk': TABLE_KEYS.partition, '#instant': name },
        ExpressionAttributeValues: { ':instant': value },
      }),
    ),
  );
  return result.applied;
}

function toItem({ hash, ...attributes }: ApiKey): Item {
  return { ...apiKeyKey(hash), [INDEXES.byTenant.partition]: API_KEYS_PARTITION, ...attributes };
}

function fromItem(item: Item): ApiKey {
  const instants = INSTANTS.filter((name) => item[name] !== undefined);
  return {
    hash: hashOf(item.pk as string),
    tenantId: item.tenantId as string,
    scopes: item.scopes as string[],
    prefix: item.prefix as string,
    createdAt: item.createdAt as number,
    ...Object.fromEntries(instants.map((name) => [name, item[name] as number])),
  };
}

/** What not every key has. */
const INSTANTS = ['expiresAt', 'revokedAt', 'lastUsedAt'] as const;
