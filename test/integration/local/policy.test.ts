import { describe, expect, it } from '@jest/globals';
import { allows, statementsOf } from '../../../local/gateway/policy.ts';

const method = 'arn:aws:execute-api:us-east-1:000000000000:api/v1/GET/jobs/1';
const stage = 'arn:aws:execute-api:us-east-1:000000000000:api/v1';

const statement = (Effect: string, Resource: string | string[], Action = 'execute-api:Invoke') => ({
  Effect,
  Action,
  Resource,
});

describe('authorizer policies', () => {
  it.each([
    { name: 'the very method', statements: [statement('Allow', method)], expected: true },
    { name: 'the stage', statements: [statement('Allow', `${stage}/*`)], expected: true },
    { name: 'one letter', statements: [statement('Allow', `${stage}/GET/job?/1`)], expected: true },
    { name: 'everything', statements: [statement('Allow', '*', '*')], expected: true },
    { name: 'one of a list', statements: [statement('Allow', ['x', method])], expected: true },
    {
      name: 'another method',
      statements: [statement('Allow', `${stage}/POST/*`)],
      expected: false,
    },
    { name: 'another action', statements: [statement('Allow', '*', 's3:*')], expected: false },
    { name: 'a dot is a dot', statements: [statement('Allow', 'arn.*')], expected: false },
    { name: 'nothing', statements: [], expected: false },
    {
      name: 'a deny beside an allow',
      statements: [statement('Allow', '*'), statement('Deny', `${stage}/GET/*`)],
      expected: false,
    },
    {
      name: 'a deny of something else',
      statements: [statement('Deny', `${stage}/POST/*`), statement('Allow', '*')],
      expected: true,
    },
  ])('$name: $expected', ({ statements, expected }) => {
    expect(allows(statements, method)).toBe(expected);
  });

  it.each([
    { name: 'no document', document: undefined },
    { name: 'no statement', document: { Version: '2012-10-17' } },
    { name: 'an unknown effect', document: { Statement: [statement('Maybe', '*')] } },
    { name: 'no resource', document: { Statement: [{ Effect: 'Allow', Action: '*' }] } },
  ])('is no policy: $name', ({ document }) => {
    expect(statementsOf(document)).toBeUndefined();
  });
});
