import { describe, expect, it } from '@jest/globals';
import type { Condition } from '../../../src/core/job/item-update.ts';
import type { DueItem, JobStore } from '../../../src/core/ports/job-store.ts';
import { SHARDS } from '../../../src/settings/names.ts';
import { shardOf } from '../../../src/settings/shards.ts';
import { NOON, aJob, aManifest } from '../../support/builders.ts';
import type { MakeJobStore } from './describe-job-store.ts';

const ALWAYS: Condition = { all: [] };

const idsOf = (items: readonly DueItem[]) =>
  items.map((item) => (item.kind === 'slice' ? item.invocationId : item.jobId));

async function createDue(store: JobStore, dueAtById: Readonly<Record<string, number>>) {
  for (const [jobId, dueAt] of Object.entries(dueAtById)) {
    await store.createJob(aJob({ jobId, dueAt }));
  }
}

export function describeDueIndex(make: MakeJobStore): void {
  describe('the due index', () => {
    it('names jobs and manifests that are due, most overdue first over all shards', async () => {
      const { store } = await make();
      await createDue(store, { c: NOON, a: NOON - 20, future: NOON + 1, b: NOON - 10 });
      await store.putManifest(aManifest({ invocationId: 'm', leaseExpiresAt: NOON - 15 }));
      await store.putManifest(aManifest({ invocationId: 'alive', leaseExpiresAt: NOON + 1 }));

      expect(await store.listDue(NOON, 10)).toEqual([
        { kind: 'job', jobId: 'a' },
        { kind: 'slice', invocationId: 'm' },
        { kind: 'job', jobId: 'b' },
        { kind: 'job', jobId: 'c' },
      ]);
    });

    it('follows a job whose dueAt moves, goes and comes back', async () => {
      const { store } = await make();
      await createDue(store, { a: NOON });

      await store.updateJob('a', { condition: ALWAYS, set: { dueAt: NOON + 60_000 } });
      expect(await store.listDue(NOON, 10)).toEqual([]);
      expect(idsOf(await store.listDue(NOON + 60_000, 10))).toEqual(['a']);

      await store.updateJob('a', { condition: ALWAYS, remove: ['dueAt'] });
      expect(await store.listDue(NOON + 1e9, 10)).toEqual([]);

      await store.updateJob('a', { condition: ALWAYS, set: { dueAt: NOON } });
      expect(idsOf(await store.listDue(NOON, 10))).toEqual(['a']);
    });

    it('never names a job that was created without dueAt, nor inputs, pages and results', async () => {
      const { store } = await make();
      const { dueAt: _, ...job } = aJob({ input: { kind: 'item', sizeBytes: 2 } });
      await store.createJob(job, '""');
      await store.putResult({ ...job, json: '""' });
      expect(await store.listDue(NOON + 1e9, 10)).toEqual([]);
    });

    it('follows a manifest through heartbeat and deletion', async () => {
      const { store } = await make();
      await store.putManifest(aManifest({ leaseExpiresAt: NOON }));
      expect(idsOf(await store.listDue(NOON, 10))).toEqual(['invocation-1']);
      await store.renewManifest('invocation-1', NOON + 1);
      expect(await store.listDue(NOON, 10)).toEqual([]);
      await store.deleteManifest('invocation-1');
      expect(await store.listDue(NOON + 1, 10)).toEqual([]);
    });

    it('answers at most the limit of each shard, the most overdue ones, and covers all shards', async () => {
      const { store } = await make();
      const ids = Array.from({ length: 10 * SHARDS.due }, (_, index) => `job-${index}`);
      await Promise.all(
        ids.map((jobId, index) =>
          store.createJob(aJob({ jobId, dueAt: NOON - ids.length + index })),
        ),
      );

      const found = idsOf(await store.listDue(NOON, 2));

      const expected = ids.filter((id, index) => {
        const before = ids.slice(0, index).filter((other) => shard(other) === shard(id));
        return before.length < 2;
      });
      expect(found).toEqual(expected);
      expect(new Set(found.map(shard)).size).toBe(SHARDS.due);
    });
  });
}

const shard = (id: string): number => shardOf(id, SHARDS.due);
