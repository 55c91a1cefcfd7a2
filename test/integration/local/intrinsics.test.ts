import { describe, expect, it } from '@jest/globals';
import { resolve, type Scope, NO_VALUE } from '../../../local/template/intrinsics.ts';

const scope: Scope = {
  where: 'Thing',
  ref: (name) => (name === 'AWS::NoValue' ? NO_VALUE : `ref-${name}`),
  attribute: (logicalId, name) => `${logicalId}-${name}`,
  condition: (name) => name === 'IsTrue',
  mapping: (...keys) => keys.join('/'),
};

const not = (condition: unknown) => ({ 'Fn::Not': [condition] });
const equals = (left: unknown, right: unknown) => ({ 'Fn::Equals': [left, right] });

describe('intrinsic functions', () => {
  it.each([
    { name: 'a plain value', value: { A: [1, 'x', true] }, expected: { A: [1, 'x', true] } },
    { name: 'Ref', value: { Ref: 'Queue' }, expected: 'ref-Queue' },
    { name: 'Fn::GetAtt of a list', value: { 'Fn::GetAtt': ['Q', 'Arn'] }, expected: 'Q-Arn' },
    { name: 'Fn::GetAtt of a string', value: { 'Fn::GetAtt': 'Q.A.B' }, expected: 'Q-A.B' },
    {
      name: 'Fn::Join with others in it',
      value: { 'Fn::Join': ['-', ['a', { Ref: 'B' }, 1]] },
      expected: 'a-ref-B-1',
    },
    {
      name: 'Fn::Join of a split list',
      value: { 'Fn::Join': ['+', { 'Fn::Split': [':', 'a:b'] }] },
      expected: 'a+b',
    },
    {
      name: 'Fn::Sub',
      value: { 'Fn::Sub': '${A}/${B.Arn}/${!Literal}/${AWS::Region}' },
      expected: 'ref-A/B-Arn/${Literal}/ref-AWS::Region',
    },
    {
      name: 'Fn::Sub with variables',
      value: { 'Fn::Sub': ['${A}/${B}', { A: { Ref: 'X' } }] },
      expected: 'ref-X/ref-B',
    },
    {
      name: 'Fn::Select of a split string',
      value: { 'Fn::Select': [1, { 'Fn::Split': [':', 'a:b:c'] }] },
      expected: 'b',
    },
    { name: 'Fn::FindInMap', value: { 'Fn::FindInMap': ['M', 'a', 'b'] }, expected: 'M/a/b' },
    { name: 'Fn::If, true', value: { 'Fn::If': ['IsTrue', 1, 2] }, expected: 1 },
    { name: 'Fn::If, false', value: { 'Fn::If': ['IsFalse', 1, { Ref: 'X' }] }, expected: 'ref-X' },
    { name: 'Fn::Equals', value: equals({ Ref: 'X' }, 'ref-X'), expected: true },
    { name: 'Fn::Not', value: not(equals('a', 'b')), expected: true },
    {
      name: 'Fn::And with a named condition',
      value: { 'Fn::And': [{ Condition: 'IsTrue' }, { Condition: 'IsFalse' }] },
      expected: false,
    },
    {
      name: 'Fn::Or',
      value: { 'Fn::Or': [equals('a', 'b'), { Condition: 'IsTrue' }] },
      expected: true,
    },
    {
      name: 'AWS::NoValue in an object',
      value: { A: { Ref: 'AWS::NoValue' }, B: 1 },
      expected: { B: 1 },
    },
    {
      name: 'AWS::NoValue in a list',
      value: [{ 'Fn::If': ['IsFalse', 1, { Ref: 'AWS::NoValue' }] }, 2],
      expected: [2],
    },
  ])('resolves $name', ({ value, expected }) => {
    expect(resolve(value, scope)).toEqual(expected);
  });

  it.each([
    { name: 'an unknown function', value: { 'Fn::Cidr': ['a', 1, 2] }, names: 'Fn::Cidr' },
    { name: 'a list of the wrong length', value: { 'Fn::Join': [','] }, names: 'Fn::Join' },
    { name: 'an object for a string', value: { 'Fn::Join': ['', [{}]] }, names: 'Fn::Join' },
    { name: 'an index past the end', value: { 'Fn::Select': [3, ['a']] }, names: 'Fn::Select' },
  ])('refuses $name and says where', ({ value, names }) => {
    expect(() => resolve(value, scope)).toThrow(new RegExp(`^Thing: .*${names}`));
  });
});
