import { describe, expect, it } from '@jest/globals';
import { itemSizeBytes } from '../../src/adapters/dynamodb/item-size.ts';
import { writeUnits } from '../support/write-units.ts';

const SIZES: readonly { name: string; value: unknown; sizeBytes: number }[] = [
  { name: 'empty text', value: '', sizeBytes: 0 },
  { name: 'text in UTF-8', value: 'aé✓😀', sizeBytes: 1 + 2 + 3 + 4 },
  { name: 'zero, which has no significant digit', value: 0, sizeBytes: 1 },
  { name: 'one digit', value: 7, sizeBytes: 2 },
  { name: 'two digits', value: 42, sizeBytes: 2 },
  { name: 'three digits', value: 123, sizeBytes: 3 },
  { name: 'zeros that do not count', value: 4_200_000, sizeBytes: 2 },
  { name: 'leading zeros that do not count', value: 0.000_42, sizeBytes: 2 },
  { name: 'an instant in milliseconds', value: 1_893_499_200_123, sizeBytes: 8 },
  { name: 'a negative number', value: -42, sizeBytes: 3 },
  { name: 'a boolean', value: true, sizeBytes: 1 },
  { name: 'null', value: null, sizeBytes: 1 },
  { name: 'bytes', value: new Uint8Array(9), sizeBytes: 9 },
  { name: 'an empty list', value: [], sizeBytes: 3 },
  { name: 'a list', value: ['ab', 1], sizeBytes: 3 + (1 + 2) + (1 + 2) },
  { name: 'an empty map', value: {}, sizeBytes: 3 },
  { name: 'a map', value: { abc: 'de' }, sizeBytes: 3 + 1 + 3 + 2 },
  { name: 'a map in a list', value: [{ a: 1 }], sizeBytes: 3 + 1 + (3 + 1 + 1 + 2) },
  { name: 'no value', value: undefined, sizeBytes: 0 },
];

/** An item of that size, in no index. */
const plain = (sizeBytes: number) => ({ a: 'x'.repeat(sizeBytes - 1) });
const due = (dueAt?: number) => ({ dueShard: '1', ...(dueAt === undefined ? {} : { dueAt }) });
const listed = (createdAt: number) => ({ tenantShard: 'acme#0', createdAt });

const WRITES: readonly {
  name: string;
  write: Parameters<typeof writeUnits>[0];
  table: number;
  byTenant?: number;
  due?: number;
}[] = [
  { name: 'a put of 1 byte', write: { after: plain(1) }, table: 1 },
  { name: 'a put of 1 KB', write: { after: plain(1024) }, table: 1 },
  { name: 'a put of 1 KB and 1 byte', write: { after: plain(1025) }, table: 2 },
  { name: 'a put of 400 KB', write: { after: plain(409_600) }, table: 400 },
  {
    name: 'an update that shrinks an item',
    write: { before: plain(2048), after: plain(9) },
    table: 2,
  },
  {
    name: 'an update that grows an item',
    write: { before: plain(9), after: plain(2049) },
    table: 3,
  },
  { name: 'a delete', write: { before: plain(1500) }, table: 2 },
  { name: 'a delete of nothing', write: {}, table: 1 },
  {
    name: 'a refused write that met an item',
    write: { before: plain(1500), refused: true },
    table: 2,
  },
  { name: 'a refused write that met nothing', write: { refused: true }, table: 1 },
  {
    name: 'a refused write to an item in both indexes',
    write: { before: { ...due(1), ...listed(1) }, refused: true },
    table: 1,
  },
  {
    name: 'a put into both indexes',
    write: { after: { ...due(1), ...listed(1) } },
    table: 1,
    byTenant: 1,
    due: 1,
  },
  {
    name: 'a change that touches no index key',
    write: { before: { ...due(1), ...listed(1), a: 1 }, after: { ...due(1), ...listed(1), a: 2 } },
    table: 1,
  },
  { name: 'another dueAt', write: { before: due(1), after: due(2) }, table: 1, due: 2 },
  { name: 'a dueAt removed', write: { before: due(1), after: due() }, table: 1, due: 1 },
  { name: 'a dueAt set again', write: { before: due(), after: due(2) }, table: 1, due: 1 },
  {
    name: 'no dueAt before and after',
    write: { before: due(), after: { ...due(), a: 1 } },
    table: 1,
  },
  {
    name: 'a delete of an item in both indexes',
    write: { before: { ...due(1), ...listed(1) } },
    table: 1,
    byTenant: 1,
    due: 1,
  },
];

describe('size of an attribute', () => {
  it.each(SIZES)('$name takes $sizeBytes bytes and its name', ({ value, sizeBytes }) => {
    expect(itemSizeBytes({ né: value })).toBe(3 + sizeBytes);
  });

  it('adds up over an item', () => {
    expect(itemSizeBytes({ pk: 'JOB#1', n: 12, flag: false })).toBe(2 + 5 + 1 + 2 + 4 + 1);
  });
});

describe('write units', () => {
  it.each(WRITES)('of $name', ({ write, table, byTenant = 0, due: dueUnits = 0 }) => {
    const total = table + byTenant + dueUnits;
    expect(writeUnits(write)).toEqual({ table, byTenant, due: dueUnits, total });
  });
});
