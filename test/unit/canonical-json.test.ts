import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from '../../src/core/job/canonical-json.ts';

describe('canonical JSON', () => {
  it.each([
    {
      name: 'sorts keys at every level',
      value: { b: { d: 1, c: 2 }, a: 3 },
      json: '{"a":3,"b":{"c":2,"d":1}}',
    },
    { name: 'keeps the order of arrays', value: [2, 1], json: '[2,1]' },
    { name: 'leaves out what is undefined', value: { a: undefined, b: 1 }, json: '{"b":1}' },
    { name: 'keeps null', value: { a: null }, json: '{"a":null}' },
    { name: 'escapes keys', value: { 'a"b': 1 }, json: '{"a\\"b":1}' },
    {
      name: 'writes a number the one way',
      value: JSON.parse('[1.0, 1e2, -0]') as unknown,
      json: '[1,100,0]',
    },
    { name: 'takes a bare value', value: 'text', json: '"text"' },
  ])('$name', ({ value, json }) => {
    expect(canonicalJson(value)).toBe(json);
  });

  it('tells an array from an object with the same entries', () => {
    expect(canonicalJson(['x'])).not.toBe(canonicalJson({ 0: 'x' }));
  });
});
