import { describe, expect, it } from '@jest/globals';
import { conditionExpression } from '../../src/adapters/dynamodb/condition-expression.ts';
import { Placeholders } from '../../src/adapters/dynamodb/placeholders.ts';
import { updateExpressions } from '../../src/adapters/dynamodb/update-expression.ts';
import type { Condition, JobUpdate } from '../../src/core/job/item-update.ts';

const QUEUED: Condition = { attribute: 'status', is: '=', value: 'queued' };
const MINE: Condition = { attribute: 'owner', is: '=', value: 'me' };

const CONDITIONS: readonly {
  condition: Condition;
  expression: string;
  values: readonly unknown[];
}[] = [
  { condition: QUEUED, expression: '#status = :v0', values: ['queued'] },
  {
    condition: { attribute: 'wakeAt', is: '<', value: 5 },
    expression: '#wakeAt < :v0',
    values: [5],
  },
  {
    condition: { attribute: 'wakeAt', is: '<=', value: 5 },
    expression: '#wakeAt <= :v0',
    values: [5],
  },
  {
    condition: { attribute: 'owner', is: 'present' },
    expression: 'attribute_exists(#owner)',
    values: [],
  },
  {
    condition: { attribute: 'owner', is: 'absent' },
    expression: 'attribute_not_exists(#owner)',
    values: [],
  },
  { condition: { all: [] }, expression: 'attribute_exists(#pk)', values: [] },
  { condition: { any: [] }, expression: 'attribute_not_exists(#pk)', values: [] },
  { condition: { any: [QUEUED] }, expression: '#status = :v0', values: ['queued'] },
  {
    condition: { all: [QUEUED, { any: [MINE, { attribute: 'owner', is: 'absent' }] }] },
    expression: '#status = :v0 AND (#owner = :v1 OR attribute_not_exists(#owner))',
    values: ['queued', 'me'],
  },
  {
    condition: { any: [{ all: [QUEUED, MINE] }, { attribute: 'owner', is: 'absent' }] },
    expression: '#status = :v0 AND #owner = :v1 OR attribute_not_exists(#owner)',
    values: ['queued', 'me'],
  },
  {
    condition: { all: [QUEUED, { all: [MINE, { all: [{ any: [MINE, QUEUED] }] }] }] },
    expression: '#status = :v0 AND #owner = :v1 AND (#owner = :v2 OR #status = :v3)',
    values: ['queued', 'me', 'me', 'queued'],
  },
];

const UPDATES: readonly {
  name: string;
  update: Omit<JobUpdate, 'condition'>;
  expression: unknown;
}[] = [
  { name: 'nothing', update: {}, expression: undefined },
  {
    name: 'every kind of change',
    update: {
      set: { status: 'running' },
      add: { epoch: 1 },
      setIfAbsent: { startedAt: 9 },
      remove: ['wakeAt', 'waitingFor'],
    },
    expression:
      'SET #status = :v2, #startedAt = if_not_exists(#startedAt, :v3) ADD #epoch :v4 REMOVE #wakeAt, #waitingFor',
  },
  {
    name: 'one attribute set and added to',
    update: { set: { crashes: 2 }, add: { crashes: 3 } },
    expression: 'SET #crashes = :v2',
  },
  {
    name: 'one attribute set, added to and removed',
    update: { set: { crashes: 2 }, add: { crashes: 3 }, remove: ['crashes'] },
    expression: 'REMOVE #crashes',
  },
  {
    name: 'one attribute set, and set if absent',
    update: { set: { startedAt: 2 }, setIfAbsent: { startedAt: 3 } },
    expression: 'SET #startedAt = :v2',
  },
  {
    name: 'one attribute named twice in remove',
    update: { remove: ['owner', 'owner'] },
    expression: 'REMOVE #owner',
  },
];

describe('condition expressions', () => {
  it.each(CONDITIONS)('writes $expression', ({ condition, expression, values }) => {
    const placeholders = new Placeholders();
    expect(conditionExpression(condition, placeholders)).toBe(expression);
    const { ExpressionAttributeNames, ExpressionAttributeValues } = placeholders.attributes;
    expect(Object.values(ExpressionAttributeValues)).toEqual(values);
    for (const [placeholder, name] of Object.entries(ExpressionAttributeNames)) {
      expect(placeholder).toBe(`#${name}`);
    }
  });
});

describe('update expressions', () => {
  it.each(UPDATES)('of $name', ({ update, expression }) => {
    const { UpdateExpression } = updateExpressions({ condition: QUEUED, ...update }, 77);
    expect(UpdateExpression).toBe(expression);
  });

  it('guard every change against absent and expired items', () => {
    const expressions = updateExpressions({ condition: { any: [QUEUED, MINE] } }, 77);
    expect(expressions).toEqual({
      ConditionExpression: '#expiresAtSeconds > :v2 AND (#status = :v0 OR #owner = :v1)',
      ExpressionAttributeNames: {
        '#expiresAtSeconds': 'expiresAtSeconds',
        '#status': 'status',
        '#owner': 'owner',
      },
      ExpressionAttributeValues: { ':v0': 'queued', ':v1': 'me', ':v2': 77 },
    });
  });

  it('write what callers and agents said as text, and the rest natively', () => {
    const { ExpressionAttributeValues } = updateExpressions(
      {
        condition: { all: [] },
        set: {
          tags: ['a'],
          totals: { progressReports: 0, stepsSucceeded: 1, stepsFailed: 0 },
          result: { kind: 'inline', json: '1' },
          paused: true,
        },
      },
      77,
    );
    expect(Object.values(ExpressionAttributeValues).slice(1)).toEqual([
      '["a"]',
      '{"progressReports":0,"stepsSucceeded":1,"stepsFailed":0}',
      { kind: 'inline', json: '1' },
      true,
    ]);
  });
});
