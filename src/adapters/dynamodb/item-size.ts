import type { Item } from './table.ts';

/**
 * Size of an item as DynamoDB counts it, for its limit of 400 KB and for write units: UTF-8 bytes of names and values; numbers
 * by their significant digits; lists and maps with their overhead.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export function itemSizeBytes(item: Item): number {
  return Object.entries(item).reduce(
    (total, [name, value]) => total + Buffer.byteLength(name) + valueSizeBytes(value),
    0,
  );
}

function valueSizeBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return numberSizeBytes(value);
  if (typeof value === 'boolean' || value === null) return 1;
  if (value instanceof Uint8Array) return value.byteLength;
  if (Array.isArray(value)) {
    return value.reduce<number>((total, part) => total + 1 + valueSizeBytes(part), 3);
  }
  if (typeof value === 'object')
    return 3 + Object.keys(value).length + itemSizeBytes(value as Item);
  return 0;
}

/** About one byte for two significant digits, one more, and one for a sign; zeros at both ends do not count. */
function numberSizeBytes(value: number): number {
  const [mantissa = ''] = Math.abs(value).toExponential().split('e');
  const digits = mantissa.replace('.', '').replace(/0+$/, '').length;
  return Math.ceil(digits / 2) + 1 + (value < 0 ? 1 : 0);
}
