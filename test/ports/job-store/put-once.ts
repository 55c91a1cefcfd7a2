import { describe, expect, it } from '@jest/globals';
import type { ChildOutcome } from '../../../src/core/job/child-outcome.ts';
import { ITEM_LIMIT_BYTES } from '../../../src/core/job/item-limit.ts';
import type { ReceivedSignal } from '../../../src/core/job/signal.ts';
import type { StoredValue } from '../../../src/core/job/stored-value.ts';
import { NOON, aChildOutcome, aJob, aPage, aSignal } from '../../support/builders.ts';
import type { MakeJobStore } from './describe-job-store.ts';

/** Names of signals with their ids, in order: by UTF-8 bytes, a name before every longer one. */
const IN_ORDER: readonly (readonly [name: string, signalId: string])[] = [
  ['', ''],
  ['', '#a'],
  ['\u0001', ''],
  [' ', '1'],
  ['!', '1'],
  ['#', ''],
  ['#', '#'],
  ['##', ''],
  ['$', '1'],
  ['%', '23'],
  ['%23', ''],
  ['&', '1'],
  ['..', '1'],
  ['10', '1'],
  ['9', '1'],
  ['A', '1'],
  ['a', '#b'],
  ['a', 'B'],
  ['a', 'b'],
  ['a', 'b!'],
  ['a', 'b#c'],
  ['a', 'b%'],
  ['a', 'c'],
  ['a\n', ''],
  ['a b', '1'],
  ['a!', '1'],
  ['a#', 'b'],
  ['a#b', 'c'],
  ['a%', '1'],
  ['a/b', '1'],
  ['a~', '1'],
  ['é', '1'],
  ['✓', '1'],
  ['\uFF5E', '1'],
  ['😀', '1'],
];

const IN_S3: StoredValue = { kind: 's3', key: 'k', sizeBytes: 9_000, sha256: 'cd'.repeat(32) };
const inline = (json: string): StoredValue => ({ kind: 'inline', json });
const textOf = (sizeBytes: number): string => JSON.stringify('x'.repeat(sizeBytes - 2));

export function describePutOnce(make: MakeJobStore): void {
  describe('signals', () => {
    it('are read back as they were put', async () => {
      const { store } = await make();
      const signals: ReceivedSignal[] = [
        aSignal({ signalId: '1', body: inline('{ "n": 1e400, "s":"\\u0000" }') }),
        aSignal({ signalId: '2', body: IN_S3 }),
      ];
      for (const signal of signals) expect(await store.putSignal(signal)).toBe('stored');
      expect(await store.listSignals('job-1')).toEqual(signals);
    });

    it('are kept once: the first stays', async () => {
      const { store } = await make();
      await store.putSignal(aSignal());
      expect(await store.putSignal(aSignal())).toBe('duplicate');
      const other = aSignal({ body: inline('"other"'), receivedAt: NOON + 1 });
      expect(await store.putSignal(other)).toBe('duplicate');
      expect(await store.listSignals('job-1')).toEqual([aSignal()]);
    });

    it('are stored by exactly one of many simultaneous puts', async () => {
      const { store } = await make();
      const puts = Array.from({ length: 8 }, (_, index) =>
        store.putSignal(aSignal({ receivedAt: NOON + index })),
      );
      const answers = await Promise.all(puts);
      expect(answers.filter((answer) => answer === 'stored')).toHaveLength(1);
      const [stored] = await store.listSignals('job-1');
      expect(stored?.receivedAt).toBe(NOON + answers.indexOf('stored'));
    });

    it('have any names and ids: none meets another, and they come in their order', async () => {
      const { store } = await make();
      for (const [name, signalId] of IN_ORDER.toReversed()) {
        expect(await store.putSignal(aSignal({ name, signalId }))).toBe('stored');
      }
      const signals = await store.listSignals('job-1');
      expect(signals.map(({ name, signalId }) => [name, signalId])).toEqual(IN_ORDER);
      expect((await store.loadHistory('job-1')).signals).toEqual(signals);
    });

    it('of other jobs are not seen', async () => {
      const { store } = await make();
      await store.putSignal(aSignal({ jobId: 'job-10' }));
      expect(await store.listSignals('job-1')).toEqual([]);
    });

    it('are read to their end when they take several megabytes', async () => {
      const { store } = await make();
      const ids = ['1', '2', '3', '4', '5'];
      const body = inline(textOf(300_000));
      for (const signalId of ids) await store.putSignal(aSignal({ signalId, body }));
      const signals = await store.listSignals('job-1');
      expect(signals.map(({ signalId }) => signalId)).toEqual(ids);
    });

    it('are refused when no item can hold them', async () => {
      const { store } = await make();
      const signal = aSignal({ body: inline(textOf(ITEM_LIMIT_BYTES)) });
      await expect(store.putSignal(signal)).rejects.toMatchObject({
        code: 'payload_too_large',
        details: { item: 'signal', jobId: 'job-1', limitBytes: ITEM_LIMIT_BYTES },
      });
      expect(await store.listSignals('job-1')).toEqual([]);
    });
  });

  describe('outcomes of sub-jobs', () => {
    it('are read back as they were put, in the order of their ids', async () => {
      const { store } = await make();
      const cause = { name: 'Error', message: 'm', details: { tiny: 1e-200, nothing: null } };
      const { result: _, ...bare } = aChildOutcome();
      const outcomes: ChildOutcome[] = [
        { ...bare, childId: '10', status: 'cancelled' },
        {
          ...bare,
          childId: '9',
          status: 'failed',
          error: { code: 'step_failed', message: '', step: 'a', attempt: 2, cause },
        },
        aChildOutcome({ childId: 'A', result: IN_S3 }),
        aChildOutcome({ childId: 'a', result: inline('{ "a":  1.0 }') }),
      ];
      for (const outcome of outcomes.toReversed()) {
        expect(await store.putChildOutcome(outcome)).toBe('stored');
      }
      expect(await store.listChildOutcomes('job-1')).toEqual(outcomes);
      expect((await store.loadHistory('job-1')).children).toEqual(outcomes);
    });

    it('are kept once: the first stays', async () => {
      const { store } = await make();
      await store.putChildOutcome(aChildOutcome());
      expect(await store.putChildOutcome(aChildOutcome())).toBe('duplicate');
      expect(await store.putChildOutcome(aChildOutcome({ status: 'failed' }))).toBe('duplicate');
      expect(await store.listChildOutcomes('job-1')).toEqual([aChildOutcome()]);
    });

    it('are stored by exactly one of many simultaneous puts', async () => {
      const { store } = await make();
      const puts = Array.from({ length: 8 }, () => store.putChildOutcome(aChildOutcome()));
      const answers = await Promise.all(puts);
      expect(answers.filter((answer) => answer === 'stored')).toHaveLength(1);
    });

    it('of other parents are not seen', async () => {
      const { store } = await make();
      await store.putChildOutcome(aChildOutcome({ parentId: 'job-10' }));
      expect(await store.listChildOutcomes('job-1')).toEqual([]);
    });

    it('are refused when no item can hold them', async () => {
      const { store } = await make();
      const outcome = aChildOutcome({ result: inline(textOf(ITEM_LIMIT_BYTES)) });
      await expect(store.putChildOutcome(outcome)).rejects.toMatchObject({
        code: 'payload_too_large',
        details: { item: 'child outcome', jobId: 'job-1', limitBytes: ITEM_LIMIT_BYTES },
      });
    });
  });

  describe('a history with signals and outcomes', () => {
    it('tells every kind of item from the others', async () => {
      const { store } = await make();
      const job = aJob({ input: { kind: 'item', sizeBytes: 3 } });
      await store.putSignal(aSignal());
      await store.putChildOutcome(aChildOutcome());
      await store.appendPage(aPage());
      await store.putResult({ ...job, json: '"r"' });
      await store.createJob(job, '"i"');

      expect(await store.loadHistory('job-1')).toEqual({
        inputJson: '"i"',
        children: [aChildOutcome()],
        pages: [aPage()],
        job,
        signals: [aSignal()],
      });
      expect((await store.listPages('job-1')).pages).toEqual([aPage()]);
      expect(await store.listDue(NOON - 1, 10)).toEqual([]);
    });

    it('is read to its end when every kind takes a megabyte', async () => {
      const { store } = await make();
      const value = inline(textOf(350_000));
      for (const id of ['1', '2', '3']) {
        await store.putChildOutcome(aChildOutcome({ childId: id, result: value }));
        await store.putSignal(aSignal({ signalId: id, body: value }));
      }
      await store.createJob(aJob());

      const history = await store.loadHistory('job-1');

      expect(history.children).toHaveLength(3);
      expect(history.signals).toHaveLength(3);
      expect(history.job).toEqual(aJob());
    });
  });
}
