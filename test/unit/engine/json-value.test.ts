import { describe, expect, it } from '@jest/globals';
import { fromJson, sizeBytes, toJson } from '../../../src/core/engine/json-value.ts';

class Point {
  readonly x = 1;
}
const cycle: Record<string, unknown> = {};
cycle.self = cycle;
const shared = { a: 1 };

describe('outcomes as JSON', () => {
  it.each([
    { name: 'text', value: 'é😀\u2028"\\' },
    { name: 'nested data', value: { a: [1, 2.5, null, true, { b: '' }], 'odd key': {} } },
    { name: 'null', value: null },
    { name: 'nothing', value: undefined },
    {
      name: 'an object without prototype',
      value: Object.assign(Object.create(null) as object, { a: 1 }),
    },
    { name: 'one object in two places', value: [shared, shared] },
  ])('gives $name back as it was', ({ value }) => {
    expect(fromJson(toJson(value))).toEqual(value);
  });

  it('leaves out properties that are undefined', () => {
    expect(fromJson(toJson({ a: undefined, b: 1 }))).toStrictEqual({ b: 1 });
  });

  it.each([
    { name: 'a Date', value: { at: new Date(0) }, path: '$.at' },
    { name: 'NaN', value: [1, NaN], path: '$[1]' },
    { name: 'Infinity', value: Infinity, path: '$' },
    { name: 'a BigInt', value: { n: 1n }, path: '$.n' },
    { name: 'undefined in an array', value: [undefined], path: '$[0]' },
    { name: 'a hole in an array', value: Object.assign([], { length: 2, 1: 'x' }), path: '$[0]' },
    { name: 'a class instance', value: { p: new Point() }, path: '$.p' },
    { name: 'a Map', value: new Map(), path: '$' },
    { name: 'a function', value: { f: () => 1 }, path: '$.f' },
    { name: 'a symbol', value: Symbol('s'), path: '$' },
    { name: 'a cycle', value: cycle, path: '$.self' },
  ])('refuses $name, naming its place', ({ value, path }) => {
    expect(() => toJson(value)).toThrow(
      expect.objectContaining({
        code: 'not_serializable',
        details: expect.objectContaining({ path }) as unknown,
      }),
    );
  });

  it.each(['', 'abc', 'é', '€', '😀', 'a😀€é'])('counts the UTF-8 bytes of %j', (text) => {
    expect(sizeBytes(text)).toBe(Buffer.byteLength(text));
  });
});
