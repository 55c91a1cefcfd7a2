import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Usage, UsageStore } from '../../core/ports/usage-store.ts';
import { usageKey } from './keys.ts';
import { Placeholders } from './placeholders.ts';
import type { Table } from './table.ts';

/** One item for each tenant and month, under 1 KB: an addition is one write unit, however many jobs it is about. */
export function dynamoUsageStore(table: Table): UsageStore {
  return {
    add: async (tenantId, month, usage) => {
      const placeholders = new Placeholders();
      const additions = Object.entries({ ...usage.jobs, steps: usage.steps })
        .filter(([, amount]) => amount !== 0)
        .map(([name, amount]) => `${placeholders.name(name)} ${placeholders.value(amount)}`);
      if (additions.length === 0) return;
      await table.client.send(
        new UpdateCommand({
          TableName: table.name,
          Key: usageKey(tenantId, month),
          UpdateExpression: `ADD ${additions.join(', ')}`,
          ...placeholders.attributes,
        }),
      );
    },
    read: (tenantId, month) => read(table, tenantId, month),
  };
}

async function read(table: Table, tenantId: string, month: string): Promise<Usage> {
  const { Item: item = {} } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: usageKey(tenantId, month) }),
  );
  const count = (name: string) => (item[name] as number | undefined) ?? 0;
  return {
    jobs: {
      succeeded: count('succeeded'),
      failed: count('failed'),
      cancelled: count('cancelled'),
    },
    steps: count('steps'),
  };
}
