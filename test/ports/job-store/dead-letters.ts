import { describe, expect, it } from '@jest/globals';
import type { DeadLetterEntry } from '../../../src/core/job/dead-letter-entry.ts';
import type { JobStore } from '../../../src/core/ports/job-store.ts';
import { aJob, NOON } from '../../support/builders.ts';
import type { MakeJobStore } from './describe-job-store.ts';

const anEntry = (parts: Partial<DeadLetterEntry> = {}): DeadLetterEntry => ({
  jobId: 'job-1',
  tenantId: 'acme',
  generation: 1,
  failedAt: NOON,
  expiresAtSeconds: NOON / 1000 + 1_000,
  ...parts,
});

async function listed(store: JobStore, tenantId = 'acme'): Promise<string[]> {
  const { entries } = await store.listDeadLetters({ tenantId, limit: 100 });
  return entries.map(({ jobId }) => jobId);
}

export function describeDeadLetters(make: MakeJobStore): void {
  describe('dead letters', () => {
    it('are listed by tenant, newest first', async () => {
      const { store } = await make();
      await store.putDeadLetter(anEntry({ jobId: 'older', failedAt: NOON - 1 }));
      await store.putDeadLetter(anEntry({ jobId: 'newer', failedAt: NOON + 1 }));
      await store.putDeadLetter(anEntry({ jobId: 'middle' }));
      await store.putDeadLetter(anEntry({ jobId: 'theirs', tenantId: 'globex' }));
      expect(await listed(store)).toEqual(['newer', 'middle', 'older']);
      expect(await listed(store, 'globex')).toEqual(['theirs']);
      expect(await listed(store, 'nobody')).toEqual([]);
    });

    it('are no jobs of their tenant, and its jobs no dead letters', async () => {
      const { store } = await make();
      await store.createJob(aJob({ jobId: 'job-2', tenantId: 'acme' }));
      await store.putDeadLetter(anEntry());
      expect(await listed(store)).toEqual(['job-1']);
      const jobs = await store.listJobs({ tenantId: 'acme', from: 0, to: NOON + 1, limit: 10 });
      expect(jobs.entries.map(({ job }) => job?.jobId)).toEqual(['job-2']);
    });

    it('come in pages that follow each other, also of one instant', async () => {
      const { store } = await make();
      const ids = ['a', 'b', 'c', 'd', 'e'];
      for (const jobId of ids) await store.putDeadLetter(anEntry({ jobId }));
      const seen: string[] = [];
      let after: { jobId: string; failedAt: number } | undefined;
      let hasMore = true;
      while (hasMore) {
        const page = await store.listDeadLetters({
          tenantId: 'acme',
          limit: 2,
          ...(after !== undefined && { after }),
        });
        expect(page.entries.length).toBeLessThanOrEqual(2);
        seen.push(...page.entries.map(({ jobId }) => jobId));
        after = page.entries.at(-1);
        ({ hasMore } = page);
      }
      expect(seen.toSorted()).toEqual(ids);
    });

    it('put again stay where they are', async () => {
      const { store } = await make();
      await store.putDeadLetter(anEntry());
      await store.putDeadLetter(anEntry({ failedAt: NOON + 5 }));
      const { entries } = await store.listDeadLetters({ tenantId: 'acme', limit: 10 });
      expect(entries).toEqual([{ jobId: 'job-1', failedAt: NOON }]);
    });

    it('are gone once removed, and a late put of the same generation does not bring them back', async () => {
      const { store } = await make();
      await store.putDeadLetter(anEntry());
      await store.removeDeadLetter('job-1', 2);
      expect(await listed(store)).toEqual([]);
      await store.putDeadLetter(anEntry());
      expect(await listed(store)).toEqual([]);
    });

    it('of a later generation are listed again, and a late removal leaves them', async () => {
      const { store } = await make();
      await store.putDeadLetter(anEntry());
      await store.removeDeadLetter('job-1', 2);
      await store.putDeadLetter(anEntry({ generation: 2, failedAt: NOON + 1 }));
      await store.removeDeadLetter('job-1', 2);
      await store.putDeadLetter(anEntry());
      const { entries } = await store.listDeadLetters({ tenantId: 'acme', limit: 10 });
      expect(entries).toEqual([{ jobId: 'job-1', failedAt: NOON + 1 }]);
    });

    it('may be removed where there are none', async () => {
      const { store } = await make();
      await store.removeDeadLetter('job-1', 2);
      expect(await listed(store)).toEqual([]);
      await store.putDeadLetter(anEntry());
      expect(await listed(store)).toEqual(['job-1']);
    });

    it('are no part of the history of their job, and never due', async () => {
      const { store } = await make();
      const { dueAt: _, ...job } = aJob();
      await store.createJob(job);
      await store.putDeadLetter(anEntry());
      expect(await store.loadHistory('job-1')).toEqual({
        children: [],
        pages: [],
        job,
        signals: [],
      });
      expect(await store.listDue(NOON + 1e9, 10)).toEqual([]);
    });
  });
}
