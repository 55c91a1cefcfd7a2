import { describe, expect, it } from '@jest/globals';
import {
  NOON,
  aChildOutcome,
  aJob,
  aManifest,
  aPage,
  aSignal,
  aStep,
} from '../../support/builders.ts';
import type { MakeJobStore } from './describe-job-store.ts';

const IN_A_MINUTE = NOON / 1000 + 60;
const LATER = NOON + 3_600_000;

export function describeExpiry(make: MakeJobStore): void {
  describe('expired items', () => {
    it('are there until the second of their expiry, and then absent for every read', async () => {
      const { store, clock } = await make();
      const job = aJob({ input: { kind: 'item', sizeBytes: 3 }, expiresAtSeconds: IN_A_MINUTE });
      await store.createJob(job, '"i"');
      await store.putResult({ ...job, json: '"r"' });
      await store.appendPage(aPage({ expiresAtSeconds: IN_A_MINUTE }));
      await store.putSignal(aSignal({ expiresAtSeconds: IN_A_MINUTE }));
      await store.putChildOutcome(aChildOutcome({ expiresAtSeconds: IN_A_MINUTE }));
      await store.putManifest(aManifest({ expiresAtSeconds: IN_A_MINUTE }));

      clock.time = NOON + 59_999;
      expect(await store.getJob('job-1')).toEqual(job);
      expect((await store.loadHistory('job-1')).pages).toHaveLength(1);
      expect(await store.listSignals('job-1')).toHaveLength(1);
      expect(await store.listChildOutcomes('job-1')).toHaveLength(1);

      clock.time = NOON + 60_000;
      expect(await store.getJob('job-1')).toBeUndefined();
      expect(await store.getInput(job)).toBeUndefined();
      expect(await store.getResult(job)).toBeUndefined();
      expect(await store.loadHistory('job-1')).toEqual({
        children: [],
        pages: [],
        job: undefined,
        signals: [],
      });
      expect(await store.readPages({ jobId: 'job-1', generation: 1, afterSeq: 0 })).toEqual([]);
      expect(await store.lastPage('job-1', 1)).toBeUndefined();
      expect(await store.listPages('job-1')).toEqual({ pages: [] });
      expect(await store.listSignals('job-1')).toEqual([]);
      expect(await store.listChildOutcomes('job-1')).toEqual([]);
      expect(await store.getManifest('invocation-1')).toBeUndefined();
      expect(await store.renewManifest('invocation-1', LATER)).toBeUndefined();
    });

    it('give way to a signal and an outcome of the same name', async () => {
      const { store, clock } = await make();
      await store.putSignal(aSignal({ expiresAtSeconds: IN_A_MINUTE }));
      await store.putChildOutcome(aChildOutcome({ expiresAtSeconds: IN_A_MINUTE }));
      clock.time = LATER;

      expect(await store.putSignal(aSignal({ receivedAt: LATER }))).toBe('stored');
      expect(await store.putChildOutcome(aChildOutcome({ status: 'failed' }))).toBe('stored');

      expect(await store.listSignals('job-1')).toEqual([aSignal({ receivedAt: LATER })]);
      expect(await store.listChildOutcomes('job-1')).toEqual([aChildOutcome({ status: 'failed' })]);
    });

    it('take no call for attention', async () => {
      const { store, clock } = await make();
      await store.putManifest(aManifest({ expiresAtSeconds: IN_A_MINUTE }));
      clock.time = LATER;
      await store.callAttention('invocation-1', 'job-1');
      clock.time = NOON;
      expect((await store.getManifest('invocation-1'))?.attention).toBeUndefined();
    });

    it('refuse updates, since they may be gone at any moment', async () => {
      const { store, clock } = await make();
      await store.createJob(aJob({ expiresAtSeconds: IN_A_MINUTE }));
      clock.time = LATER;
      const update = { condition: { all: [] }, set: { agent: 'x' } };
      expect(await store.updateJob('job-1', update)).toEqual({ applied: false, job: undefined });
    });

    it('give way to a new job under the same id, with a journal of its own', async () => {
      const { store, clock } = await make();
      await store.createJob(aJob({ owner: 'old', expiresAtSeconds: IN_A_MINUTE }));
      for (const seq of [1, 2, 3]) {
        await store.appendPage(aPage({ seq, expiresAtSeconds: IN_A_MINUTE }));
      }
      clock.time = LATER;

      const job = aJob({ createdAt: LATER });
      expect(await store.createJob(job)).toEqual({ created: true });
      const page = aPage({ entries: [aStep('new')] });
      expect(await store.appendPage(page)).toBe('appended');

      expect(await store.getJob('job-1')).toEqual(job);
      expect((await store.loadHistory('job-1')).pages).toEqual([page]);
      expect(await store.lastPage('job-1', 1)).toEqual(page);
      expect((await store.listPages('job-1')).pages).toEqual([page]);
    });
  });
}
