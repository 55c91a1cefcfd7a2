import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { SliceManifest } from '../../core/job/slice-manifest.ts';
import type { JobStore } from '../../core/ports/job-store.ts';
import { TABLE_KEYS } from '../../settings/names.ts';
import { attempt } from './attempt.ts';
import { dueShard, sliceKey } from './keys.ts';
import { type Item, type Table, getItem, nowSeconds, putItem } from './table.ts';

type Manifests = Pick<
  JobStore,
  | 'putManifest'
  | 'renewManifest'
  | 'callAttention'
  | 'deleteManifest'
  | 'getManifest'
  | 'rearmManifest'
>;

export function manifests(table: Table): Manifests {
  return {
    putManifest: (manifest) => putItem(table, toItem(manifest)),
    renewManifest: (invocationId, leaseExpiresAt) => move(table, { invocationId, leaseExpiresAt }),
    callAttention: (invocationId, jobId) => callAttention(table, invocationId, jobId),
    deleteManifest: async (invocationId) => {
      await table.client.send(
        new DeleteCommand({ TableName: table.name, Key: sliceKey(invocationId) }),
      );
    },
    getManifest: async (invocationId) => {
      const item = await getItem(table, sliceKey(invocationId));
      return item && fromItem(invocationId, item);
    },
    rearmManifest: async ({ invocationId, leaseExpiresAt: expected }, leaseExpiresAt) => {
      const moved = await move(table, { invocationId, leaseExpiresAt, expected });
      return moved !== undefined;
    },
  };
}

/** `dueAt` is the end of the lease: one attribute for both, since the index needs it under this name. */
function toItem(manifest: SliceManifest): Item {
  const { invocationId, leaseExpiresAt, ...attributes } = manifest;
  return {
    ...sliceKey(invocationId),
    dueShard: dueShard(invocationId),
    dueAt: leaseExpiresAt,
    ...attributes,
  };
}

function fromItem(invocationId: string, item: Item): SliceManifest {
  const manifest = {
    invocationId,
    jobIds: item.jobIds as string[],
    leaseExpiresAt: item.dueAt as number,
    expiresAtSeconds: item.expiresAtSeconds as number,
  };
  return item.attention === undefined
    ? manifest
    : { ...manifest, attention: item.attention as string[] };
}

/** The comparison with the TTL attribute fails where there is no manifest, so none is created. */
async function move(
  table: Table,
  lease: {
    readonly invocationId: string;
    readonly leaseExpiresAt: number;
    readonly expected?: number;
  },
): Promise<SliceManifest | undefined> {
  const { invocationId, leaseExpiresAt, expected } = lease;
  const guard = expected === undefined ? '' : ' AND #dueAt = :expected';
  const result = await attempt(
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: sliceKey(invocationId),
        UpdateExpression: 'SET #dueAt = :dueAt',
        ConditionExpression: `#ttl > :now${guard}`,
        ExpressionAttributeNames: { '#dueAt': 'dueAt', '#ttl': TABLE_KEYS.ttl },
        ExpressionAttributeValues: {
          ':dueAt': leaseExpiresAt,
          ':now': nowSeconds(table),
          ...(expected === undefined ? {} : { ':expected': expected }),
        },
        ReturnValues: 'ALL_NEW',
      }),
    ),
  );
  return result.applied ? fromItem(invocationId, result.value.Attributes ?? {}) : undefined;
}

/** Called twice when an answer was lost: the worker then looks once more, and finds what it has seen. */
async function callAttention(table: Table, invocationId: string, jobId: string): Promise<void> {
  await attempt(
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: sliceKey(invocationId),
        UpdateExpression: 'SET #attention = list_append(if_not_exists(#attention, :none), :called)',
        ConditionExpression: '#ttl > :now',
        ExpressionAttributeNames: { '#attention': 'attention', '#ttl': TABLE_KEYS.ttl },
        ExpressionAttributeValues: {
          ':none': [],
          ':called': [jobId],
          ':now': nowSeconds(table),
        },
      }),
    ),
  );
}
