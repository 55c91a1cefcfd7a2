import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type {
  StoredTenant,
  TenantChanges,
  TenantSettings,
  TenantStore,
} from '../../core/ports/tenant-store.ts';
import { INDEXES } from '../../settings/names.ts';
import { tenantIdOf, tenantSettingsKey, TENANTS_PARTITION } from './keys.ts';
import { listPartition } from './list-partition.ts';
import { Placeholders } from './placeholders.ts';
import type { Item, Table } from './table.ts';

const SETTINGS: readonly (keyof TenantSettings)[] = [
  'allowedAgents',
  'limits',
  'webhookEndpoints',
  'requestsPerSecond',
];

/** One item for each tenant with settings; in the index `by-tenant` they share a partition, which is how `list` finds them. */
export function dynamoTenantStore(table: Table): TenantStore {
  const find = (tenantId: string) => findTenant(table, tenantId);
  return {
    find,
    update: (tenantId, changes, now) => update(table, { tenantId, changes, now }),
    list: async () => {
      const ids = (await listPartition(table, TENANTS_PARTITION)).map(tenantIdOf).sort();
      return (await Promise.all(ids.map(find))).filter((tenant) => tenant !== undefined);
    },
  };
}

async function findTenant(table: Table, tenantId: string): Promise<StoredTenant | undefined> {
  const { Item: item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: tenantSettingsKey(tenantId) }),
  );
  return item && fromItem(item);
}

/** One write without a read before it, so that two operators who change different settings do not undo each other. */
async function update(
  table: Table,
  { tenantId, changes, now }: { tenantId: string; changes: TenantChanges; now: number },
): Promise<StoredTenant> {
  const placeholders = new Placeholders();
  const { partition, sort } = INDEXES.byTenant;
  const named = SETTINGS.filter((name) => changes[name] !== undefined);
  const removed = named.filter((name) => changes[name] === null);
  const set = {
    [partition]: TENANTS_PARTITION,
    updatedAt: now,
    ...Object.fromEntries(
      named.filter((name) => changes[name] !== null).map((name) => [name, changes[name]]),
    ),
  };
  const assignments = Object.entries(set).map(
    ([name, value]) => `${placeholders.name(name)} = ${placeholders.value(value)}`,
  );
  const created = placeholders.name(sort);
  assignments.push(`${created} = if_not_exists(${created}, ${placeholders.value(now)})`);
  const removals = removed.map((name) => placeholders.name(name)).join(', ');
  const { Attributes: item } = await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: tenantSettingsKey(tenantId),
      UpdateExpression: `SET ${assignments.join(', ')}${removals === '' ? '' : ` REMOVE ${removals}`}`,
      ...placeholders.attributes,
      ReturnValues: 'ALL_NEW',
    }),
  );
  return fromItem(item ?? {});
}

function fromItem(item: Item): StoredTenant {
  const settings = SETTINGS.filter((name) => item[name] !== undefined);
  return {
    tenantId: tenantIdOf(item.pk as string),
    ...(Object.fromEntries(settings.map((name) => [name, item[name]])) as TenantSettings),
    updatedAt: item.updatedAt as number,
  };
}
