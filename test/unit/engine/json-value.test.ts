import { describe, expect, it } from '@jest/globals';
import { fromJson, sizeBytes, toJson } from '../../../src/core/engine/json-value.ts';

class Point {
  readonly x = 1;
}
const cycle: Record<string, unknown> = {};
cycle.self = cycle;
const shared = { a: 1 };

function nested(levels: number): unknown {
  let value: unknown = 'innermost';
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

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
    { name: 'a thousand levels', value: nested(1_000) },
    { name: 'a field called toJSON', value: { toJSON: 'yes' } },
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
    {
      name: 'an object that says what it is as JSON',
      value: { a: Object.defineProperty({ b: 1 }, 'toJSON', { value: () => undefined }) },
      path: '$.a',
    },
    {
      name: 'an instance of a nameless class',
      value: [
        new (class {
          readonly x = 1;
        })(),
      ],
      path: '$[0]',
    },
  ])('refuses $name, naming its place', ({ value, path }) => {
    expect(() => toJson(value)).toThrow(
      expect.objectContaining({
        code: 'not_serializable',
        details: expect.objectContaining({ path }) as unknown,
      }),
    );
  });

  it.each([1_001, 50_000])(
    'refuses %i levels, naming the limit and a place of bounded length',
    (levels) => {
      expect(() => toJson(nested(levels))).toThrow(
        expect.objectContaining({
          code: 'not_serializable',
          message: expect.stringMatching(/^\$.{255}… is nested deeper than 1000 levels/) as unknown,
          details: expect.objectContaining({ limit: 1_000 }) as unknown,
        }),
      );
    },
  );

  it('refuses a proxy that turns into nothing when it is asked again', () => {
    let asked = 0;
    const shifty = new Proxy(
      {},
      { get: (_target, name) => (name === 'toJSON' && ++asked > 1 ? () => undefined : undefined) },
    );

    expect(() => toJson(shifty)).toThrow(expect.objectContaining({ code: 'not_serializable' }));
  });

  it.each(['', 'abc', 'é', '€', '😀', 'a😀€é'])('counts the UTF-8 bytes of %j', (text) => {
    expect(sizeBytes(text)).toBe(Buffer.byteLength(text));
  });
});
