import { describe, expect, it } from '@jest/globals';
import type { Job } from '../../../src/core/job/job.ts';
import type { ListPosition } from '../../../src/core/job/list-position.ts';
import type { JobListing, JobListQuery, JobStore } from '../../../src/core/ports/job-store.ts';
import { SHARDS } from '../../../src/settings/names.ts';
import { shardOf } from '../../../src/settings/shards.ts';
import { NOON, aJob } from '../../support/builders.ts';
import type { MakeJobStore } from './describe-job-store.ts';

const ALL: JobListQuery = { tenantId: 'acme', from: 0, to: NOON * 2, limit: 100 };

const idsOf = ({ entries }: JobListing) => entries.flatMap(({ job }) => job?.jobId ?? []);

async function create(store: JobStore, jobs: readonly Partial<Job>[]): Promise<string[]> {
  await Promise.all(jobs.map((parts) => store.createJob(aJob(parts))));
  return jobs.map(({ jobId }) => jobId ?? '');
}

/** Jobs of which the first is the newest. */
const aged = (count: number, ageMs = (index: number) => index): Partial<Job>[] =>
  Array.from({ length: count }, (_, index) => ({
    jobId: `job-${String(index).padStart(3, '0')}`,
    createdAt: NOON - ageMs(index),
  }));

/** All pages from a position to the end, and what was called between two of them. */
async function walk(
  store: JobStore,
  query: JobListQuery,
  between: (page: number) => Promise<unknown> = () => Promise.resolve(),
): Promise<string[]> {
  const seen: string[] = [];
  let after: ListPosition | undefined = query.after;
  for (let page = 1; ; page++) {
    const listing = await store.listJobs({ ...query, ...(after !== undefined && { after }) });
    seen.push(...idsOf(listing));
    after = listing.entries.at(-1)?.position;
    if (!listing.hasMore) return seen;
    // A position travels as JSON.
    after = JSON.parse(JSON.stringify(after)) as ListPosition;
    await between(page);
  }
}

export function describeListing(make: MakeJobStore): void {
  describe('the list of a tenant', () => {
    it('is empty when there is nothing, also in an impossible range', async () => {
      const { store } = await make();
      expect(await store.listJobs(ALL)).toEqual({ entries: [], hasMore: false });
      expect(await store.listJobs({ ...ALL, from: 2, to: 1 })).toMatchObject({ entries: [] });
    });

    it('names its jobs with all they hold, newest first over all shards, and no other tenant’s', async () => {
      const { store } = await make();
      const ids = await create(store, aged(12));
      await create(store, [{ jobId: 'foreign', tenantId: 'globex' }]);

      const listing = await store.listJobs(ALL);

      expect(idsOf(listing)).toEqual(ids);
      expect(listing.hasMore).toBe(false);
      expect(listing.entries[3]?.job).toEqual(await store.getJob('job-003'));
      expect(new Set(ids.map((id) => shardOf(id, SHARDS.byTenant))).size).toBe(SHARDS.byTenant);
    });

    it.each([1, 2, 3, 7, 100])('is the same in parts of %d', async (limit) => {
      const { store } = await make();
      const ids = await create(store, aged(23));
      expect(await walk(store, { ...ALL, limit })).toEqual(ids);
    });

    it.each([1, 3, 5])(
      'names every job once in parts of %d when many were created at one instant',
      async (limit) => {
        const { store } = await make();
        const ids = await create(
          store,
          aged(30, (index) => Math.floor(index / 10)),
        );

        const seen = await walk(store, { ...ALL, limit });

        expect([...seen].sort()).toEqual(ids);
        const ages = seen.map((id) => Math.floor(ids.indexOf(id) / 10));
        expect(ages).toEqual([...ages].sort((a, b) => a - b));
      },
    );

    it('goes on where it was while jobs are added: nothing twice, nothing missed, nothing new', async () => {
      const { store } = await make();
      const ids = await create(store, aged(20));

      const seen = await walk(store, { ...ALL, limit: 3 }, (page) =>
        create(store, [
          { jobId: `new-${page}`, createdAt: NOON + page },
          { jobId: `newer-${page}`, createdAt: NOON + page },
        ]),
      );

      expect(seen).toEqual(ids);
    });

    it('takes the instants of a range with both its ends', async () => {
      const { store } = await make();
      const ids = await create(store, aged(10));
      const range = { ...ALL, from: NOON - 6, to: NOON - 2 };
      expect(await walk(store, range)).toEqual(ids.slice(2, 7));
      expect(await walk(store, { ...range, limit: 1 })).toEqual(ids.slice(2, 7));
    });

    it('names a job at its place whatever its status became', async () => {
      const { store } = await make();
      await create(store, aged(2));
      const update = { condition: { all: [] }, set: { status: 'failed', updatedAt: NOON + 5 } };
      await store.updateJob('job-001', update as Parameters<JobStore['updateJob']>[1]);
      const { entries } = await store.listJobs(ALL);
      expect(entries.map(({ job }) => job?.status)).toEqual(['queued', 'failed']);
    });

    it('shows no expired job, and goes on behind it', async () => {
      const { store, clock } = await make();
      const old = { expiresAtSeconds: NOON / 1000 + 60 };
      await create(store, [
        { jobId: 'a', createdAt: NOON },
        { jobId: 'b', createdAt: NOON - 1, ...old },
        { jobId: 'c', createdAt: NOON - 2, ...old },
        { jobId: 'd', createdAt: NOON - 3 },
      ]);
      clock.time = NOON + 60_000;
      expect(await walk(store, { ...ALL, limit: 1 })).toEqual(['a', 'd']);
    });

    it('shows a job that took the place of an expired one where it belongs, once', async () => {
      const { store, clock } = await make();
      await create(store, [{ jobId: 'a', expiresAtSeconds: NOON / 1000 + 60 }]);
      clock.time = NOON + 3_600_000;
      await create(store, [{ jobId: 'a', createdAt: clock.time }]);
      expect(await walk(store, ALL)).toEqual(['a']);
    });
  });
}
