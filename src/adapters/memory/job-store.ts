import type { Clock } from '../../core/ports/clock.ts';
import type { DueItem, JobStore } from '../../core/ports/job-store.ts';
import { SHARDS } from '../../settings/names.ts';
import { shardOf } from '../../settings/shards.ts';
import { JobItems } from './job-items.ts';
import { JournalPages } from './journal-pages.ts';
import { Manifests } from './manifests.ts';
import { answer } from './answer.ts';

/** The job table in memory, with the semantics of the DynamoDB adapter except that its index is never late. */
export function memoryJobStore(clock: Pick<Clock, 'now'>): JobStore {
  const jobs = new JobItems(clock);
  const journal = new JournalPages(clock);
  const manifests = new Manifests(clock);
  return {
    createJob: (job, inputJson) => answer(() => jobs.create(job, inputJson)),
    getJob: (jobId) => answer(() => jobs.get(jobId)),
    updateJob: (jobId, update) => answer(() => jobs.update(jobId, update)),
    getInput: (job) => answer(() => jobs.getInput(job)),
    putResult: (result) =>
      answer(() => {
        jobs.putResult(result);
      }),
    getResult: (job) => answer(() => jobs.getResult(job)),
    loadHistory: (jobId) => answer(() => historyOf(jobId, jobs, journal)),
    appendPage: (page) => answer(() => journal.append(page)),
    readPages: (position) => answer(() => journal.read(position)),
    lastPage: (jobId, generation) => answer(() => journal.last(jobId, generation)),
    listPages: (jobId, cursor) => answer(() => journal.list(jobId, cursor)),
    putManifest: (manifest) =>
      answer(() => {
        manifests.put(manifest);
      }),
    renewManifest: (invocationId, leaseExpiresAt) =>
      answer(() => manifests.move(invocationId, leaseExpiresAt)),
    deleteManifest: (invocationId) =>
      answer(() => {
        manifests.delete(invocationId);
      }),
    getManifest: (invocationId) => answer(() => manifests.get(invocationId)),
    rearmManifest: (manifest, leaseExpiresAt) =>
      answer(() => manifests.move(manifest.invocationId, leaseExpiresAt, manifest.leaseExpiresAt)),
    listDue: (now, limit) => answer(() => dueItems({ jobs, manifests }, now, limit)),
  };
}

function historyOf(jobId: string, jobs: JobItems, journal: JournalPages) {
  const job = jobs.get(jobId);
  const inputJson = job && jobs.getInput(job);
  const pages = journal.all(jobId);
  return inputJson === undefined ? { pages, job } : { inputJson, pages, job };
}

interface DueEntry {
  readonly id: string;
  readonly dueAt: number;
  readonly item: DueItem;
}

function dueItems(
  stored: { jobs: JobItems; manifests: Manifests },
  now: number,
  limit: number,
): DueItem[] {
  const taken = new Map<number, number>();
  return [...jobEntries(stored.jobs), ...manifestEntries(stored.manifests)]
    .filter(({ dueAt }) => dueAt <= now)
    .sort((a, b) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1))
    .filter(({ id }) => {
      const shard = shardOf(id, SHARDS.due);
      const count = taken.get(shard) ?? 0;
      taken.set(shard, count + 1);
      return count < limit;
    })
    .map(({ item }) => item);
}

function jobEntries(jobs: JobItems): DueEntry[] {
  return jobs.all().flatMap(({ jobId, dueAt }) => {
    if (dueAt === undefined) return [];
    return [{ id: jobId, dueAt, item: { kind: 'job', jobId } }];
  });
}

function manifestEntries(manifests: Manifests): DueEntry[] {
  return manifests.all().map(({ invocationId, leaseExpiresAt }) => ({
    id: invocationId,
    dueAt: leaseExpiresAt,
    item: { kind: 'slice', invocationId },
  }));
}
