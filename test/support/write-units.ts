import { itemSizeBytes } from '../../src/adapters/dynamodb/item-size.ts';
import { INDEXES } from '../../src/settings/names.ts';

/**
 * Write units of one standard write, by AWS's documented rules, because the local DynamoDB leaves indexes out of its
 * consumed capacity.
 * Table: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
 * Indexes: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.ThroughputConsiderations.Writes
 */

type Item = Readonly<Record<string, unknown>>;

export interface Write {
  /** The item as it stood, if there was one. */
  readonly before?: Item | undefined;
  /** The item as it stands afterwards; undefined after a delete. */
  readonly after?: Item | undefined;
  /** The condition did not hold. */
  readonly refused?: boolean;
}

export interface WriteUnits {
  readonly table: number;
  readonly byTenant: number;
  readonly due: number;
  readonly total: number;
}

const UNIT_BYTES = 1024;

export function writeUnits(write: Write): WriteUnits {
  const table = tableUnits(write);
  const byTenant = indexUnits(write, INDEXES.byTenant);
  const due = indexUnits(write, INDEXES.due);
  return { table, byTenant, due, total: table + byTenant + due };
}

/** The larger of the item before and after; a refused write is billed for the item it met, and one that met none still 1. */
function tableUnits({ before, after, refused = false }: Write): number {
  const sizes = [before, refused ? undefined : after].map((item) =>
    item === undefined ? 0 : itemSizeBytes(item),
  );
  return Math.max(1, Math.ceil(Math.max(...sizes) / UNIT_BYTES));
}

/**
 * An item is in an index while it has both of the index's key attributes. To enter or to leave costs one write, another key
 * two; with a keys-only projection nothing else reaches the index. An entry is its keys, always under 1 KB.
 */
function indexUnits(
  { before, after, refused = false }: Write,
  index: { readonly partition: string; readonly sort: string },
): number {
  if (refused) return 0;
  const [old, present] = [before, after].map((item) => entryOf(item, index));
  if (old === present) return 0;
  return old === undefined || present === undefined ? 1 : 2;
}

function entryOf(
  item: Item | undefined,
  { partition, sort }: { readonly partition: string; readonly sort: string },
): string | undefined {
  if (item?.[partition] === undefined || item[sort] === undefined) return undefined;
  return JSON.stringify([item[partition], item[sort]]);
}
