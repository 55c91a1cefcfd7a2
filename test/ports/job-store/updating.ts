import { describe, expect, it } from '@jest/globals';
import type { Condition, JobUpdate } from '../../../src/core/job/item-update.ts';
import type { Job } from '../../../src/core/job/job.ts';
import { NOON, aJob } from '../../support/builders.ts';
import type { MakeJobStore } from './describe-job-store.ts';

const ALWAYS: Condition = { all: [] };
const YES: Condition = { attribute: 'status', is: '=', value: 'queued' };
const NO: Condition = { attribute: 'status', is: '=', value: 'running' };

/** Each against `aJob({ owner: 'm', paused: true, epoch: 3 })`. */
const CONDITIONS: readonly { name: string; condition: Condition; holds: boolean }[] = [
  { name: 'string = same', condition: YES, holds: true },
  { name: 'string = other', condition: NO, holds: false },
  { name: 'number = same', condition: { attribute: 'epoch', is: '=', value: 3 }, holds: true },
  { name: 'number = other', condition: { attribute: 'epoch', is: '=', value: 2 }, holds: false },
  {
    name: 'number = its text',
    condition: { attribute: 'epoch', is: '=', value: '3' },
    holds: false,
  },
  { name: 'boolean = same', condition: { attribute: 'paused', is: '=', value: true }, holds: true },
  {
    name: 'boolean = other',
    condition: { attribute: 'paused', is: '=', value: false },
    holds: false,
  },
  { name: 'absent = value', condition: { attribute: 'wakeAt', is: '=', value: 0 }, holds: false },
  { name: 'number < greater', condition: { attribute: 'epoch', is: '<', value: 4 }, holds: true },
  { name: 'number < same', condition: { attribute: 'epoch', is: '<', value: 3 }, holds: false },
  { name: 'number < smaller', condition: { attribute: 'epoch', is: '<', value: 2 }, holds: false },
  { name: 'number <= same', condition: { attribute: 'epoch', is: '<=', value: 3 }, holds: true },
  {
    name: 'number <= smaller',
    condition: { attribute: 'epoch', is: '<=', value: 2 },
    holds: false,
  },
  { name: '9 < 10 as numbers', condition: { attribute: 'epoch', is: '<', value: 10 }, holds: true },
  { name: 'number < string', condition: { attribute: 'epoch', is: '<', value: 'z' }, holds: false },
  { name: 'string < number', condition: { attribute: 'owner', is: '<', value: 9 }, holds: false },
  { name: 'string < later', condition: { attribute: 'owner', is: '<', value: 'n' }, holds: true },
  {
    name: 'string < upper case',
    condition: { attribute: 'owner', is: '<', value: 'N' },
    holds: false,
  },
  { name: 'string <= same', condition: { attribute: 'owner', is: '<=', value: 'm' }, holds: true },
  { name: 'absent < value', condition: { attribute: 'wakeAt', is: '<', value: 9 }, holds: false },
  { name: 'absent <= value', condition: { attribute: 'wakeAt', is: '<=', value: 9 }, holds: false },
  { name: 'present', condition: { attribute: 'owner', is: 'present' }, holds: true },
  { name: 'not present', condition: { attribute: 'wakeAt', is: 'present' }, holds: false },
  { name: 'absent', condition: { attribute: 'wakeAt', is: 'absent' }, holds: true },
  { name: 'not absent', condition: { attribute: 'owner', is: 'absent' }, holds: false },
  { name: 'all of none', condition: { all: [] }, holds: true },
  { name: 'any of none', condition: { any: [] }, holds: false },
  { name: 'all of one', condition: { all: [YES] }, holds: true },
  { name: 'any of one', condition: { any: [NO] }, holds: false },
  { name: 'all, one fails', condition: { all: [YES, NO] }, holds: false },
  { name: 'any, one holds', condition: { any: [NO, YES] }, holds: true },
  {
    name: 'AND binds no closer than written',
    condition: { all: [{ any: [YES, NO] }, NO] },
    holds: false,
  },
  { name: 'OR around AND', condition: { any: [{ all: [YES, NO] }, YES] }, holds: true },
  { name: 'nested empties', condition: { all: [YES, { any: [NO, { all: [] }] }] }, holds: true },
];

const CHANGES: readonly {
  name: string;
  before: Partial<Job>;
  update: Omit<JobUpdate, 'condition'>;
  after: Partial<Record<keyof Job, unknown>>;
}[] = [
  {
    name: 'sets native and text attributes',
    before: {},
    update: { set: { status: 'waiting', waitingFor: 'signal', duties: ['event'], paused: false } },
    after: { status: 'waiting', waitingFor: 'signal', duties: ['event'], paused: false },
  },
  {
    name: 'adds to a counter',
    before: { epoch: 4 },
    update: { add: { epoch: 1 } },
    after: { epoch: 5 },
  },
  {
    name: 'subtracts from a counter',
    before: { wakeups: 4 },
    update: { add: { wakeups: -5 } },
    after: { wakeups: -1 },
  },
  {
    name: 'adds to counters that are absent as if they stood at 0',
    before: {},
    update: { add: { hops: 1, joinPending: -1 } },
    after: { hops: 1, joinPending: -1 },
  },
  {
    name: 'adds to counters that are present',
    before: { hops: 2, joinPending: 2 },
    update: { add: { hops: 1, joinPending: -1 } },
    after: { hops: 3, joinPending: 1 },
  },
  {
    name: 'adds behind a value that it sets',
    before: { crashes: 7 },
    update: { set: { crashes: 0 }, add: { crashes: 1 } },
    after: { crashes: 1 },
  },
  {
    name: 'sets what is absent',
    before: {},
    update: { setIfAbsent: { startedAt: 9 } },
    after: { startedAt: 9 },
  },
  {
    name: 'keeps what is present',
    before: { startedAt: 0 },
    update: { setIfAbsent: { startedAt: 9, tags: ['x'] } },
    after: { startedAt: 0, tags: ['x'] },
  },
  {
    name: 'prefers a set value to a default',
    before: {},
    update: { set: { startedAt: 1 }, setIfAbsent: { startedAt: 9 } },
    after: { startedAt: 1 },
  },
  {
    name: 'removes, also what is not there',
    before: { owner: 'me' },
    update: { remove: ['owner', 'wakeAt', 'hints'] },
    after: { owner: undefined, wakeAt: undefined, hints: undefined },
  },
  {
    name: 'removes whatever else was said of it',
    before: { crashes: 2 },
    update: {
      set: { owner: 'me' },
      add: { crashes: 1 },
      setIfAbsent: { startedAt: 1 },
      remove: ['owner', 'crashes', 'startedAt'],
    },
    after: { owner: undefined, crashes: undefined, startedAt: undefined },
  },
  { name: 'changes nothing', before: {}, update: {}, after: {} },
  {
    name: 'does everything at once',
    before: { owner: 'me', epoch: 1 },
    update: {
      set: { status: 'running', result: { kind: 'inline', json: '{"status":":v0"}' } },
      add: { epoch: 2, generation: 1 },
      setIfAbsent: { startedAt: 3 },
      remove: ['dueAt', 'owner'],
    },
    after: {
      status: 'running',
      result: { kind: 'inline', json: '{"status":":v0"}' },
      epoch: 3,
      generation: 2,
      startedAt: 3,
      dueAt: undefined,
      owner: undefined,
    },
  },
];

export function describeUpdating(make: MakeJobStore): void {
  describe('conditions of an update', () => {
    it.each(CONDITIONS)('$name: $holds', async ({ condition, holds }) => {
      const { store } = await make();
      const before = aJob({ owner: 'm', paused: true, epoch: 3 });
      await store.createJob(before);

      const result = await store.updateJob('job-1', { condition, set: { agent: 'changed' } });

      const job = holds ? { ...before, agent: 'changed' } : before;
      expect(result).toEqual({ applied: holds, job });
      expect(await store.getJob('job-1')).toEqual(job);
    });
  });

  describe('changes of an update', () => {
    it.each(CHANGES)('$name', async ({ before, update, after }) => {
      const { store } = await make();
      await store.createJob(aJob(before));

      const result = await store.updateJob('job-1', { condition: ALWAYS, ...update });

      const expected = JSON.parse(JSON.stringify({ ...aJob(before), ...after })) as Job;
      expect(result).toStrictEqual({ applied: true, job: expected });
      expect(await store.getJob('job-1')).toStrictEqual(expected);
    });

    it('refuses to update a job that is not there, and creates none', async () => {
      const { store } = await make();
      const update = { condition: ALWAYS, set: { agent: 'x' }, add: { epoch: 1 } };
      expect(await store.updateJob('job-1', update)).toEqual({ applied: false, job: undefined });
      const absent = {
        condition: { attribute: 'owner', is: 'absent' },
        set: { owner: 'x' },
      } as const;
      expect(await store.updateJob('job-1', absent)).toEqual({ applied: false, job: undefined });
      expect(await store.getJob('job-1')).toBeUndefined();
    });

    it('lets exactly one of many claimants win', async () => {
      const { store } = await make();
      await store.createJob(aJob());
      const claims = Array.from({ length: 8 }, (_, index) =>
        store.updateJob('job-1', {
          condition: YES,
          set: { status: 'running', owner: `worker-${index}`, updatedAt: NOON },
          add: { epoch: 1 },
        }),
      );

      const results = await Promise.all(claims);

      const winners = results.filter(({ applied }) => applied);
      expect(winners).toHaveLength(1);
      const stored = await store.getJob('job-1');
      expect(stored?.epoch).toBe(1);
      for (const result of results) expect(result.job).toEqual(stored);
    });

    it('adds every one of many simultaneous increments', async () => {
      const { store } = await make();
      await store.createJob(aJob());
      const update = { condition: ALWAYS, add: { wakeups: 1 } };
      await Promise.all(Array.from({ length: 10 }, () => store.updateJob('job-1', update)));
      expect((await store.getJob('job-1'))?.wakeups).toBe(10);
    });
  });
}
