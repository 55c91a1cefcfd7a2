import type { ChildOutcome } from '../../core/job/child-outcome.ts';
import type { ReceivedSignal } from '../../core/job/signal.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type {
  DueItem,
  JobHistory,
  JobLook,
  JobStore,
  PagePosition,
} from '../../core/ports/job-store.ts';
import { SHARDS } from '../../settings/names.ts';
import { shardOf } from '../../settings/shards.ts';
import { Deliveries } from './deliveries.ts';
import { DeadLetterEntries } from './dead-letter-entries.ts';
import { JobItems } from './job-items.ts';
import { listJobs } from './job-list.ts';
import { JournalPages } from './journal-pages.ts';
import { Manifests } from './manifests.ts';
import { PutOnceItems } from './put-once-items.ts';
import { answer } from './answer.ts';

/** The job table in memory, with the semantics of the DynamoDB adapter except that its index is never late. */
export function memoryJobStore(clock: Pick<Clock, 'now'>): JobStore {
  const stored = storedItems(clock);
  const { jobs, journal, children, signals, manifests, deliveries } = stored;
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
    loadHistory: (jobId) => answer(() => historyOf(jobId, stored)),
    appendPage: (page) => answer(() => journal.append(page)),
    readPages: (position) => answer(() => journal.read(position)),
    lastPage: (jobId, generation) => answer(() => journal.last(jobId, generation)),
    listPages: (jobId, cursor) => answer(() => journal.list(jobId, cursor)),
    lookAt: (jobId, after) => answer(() => lookAt(stored, jobId, after)),
    putSignal: (signal) => answer(() => signals.put(signal)),
    listSignals: (jobId) => answer(() => signals.list(jobId)),
    putChildOutcome: (outcome) => answer(() => children.put(outcome)),
    listChildOutcomes: (parentId) => answer(() => children.list(parentId)),
    putManifest: (manifest) =>
      answer(() => {
        manifests.put(manifest);
      }),
    renewManifest: (invocationId, leaseExpiresAt) =>
      answer(() => manifests.move(invocationId, leaseExpiresAt)),
    callAttention: (invocationId, jobId) =>
      answer(() => {
        manifests.callAttention(invocationId, jobId);
      }),
    deleteManifest: (invocationId) =>
      answer(() => {
        manifests.delete(invocationId);
      }),
    getManifest: (invocationId) => answer(() => manifests.get(invocationId)),
    rearmManifest: ({ invocationId, leaseExpiresAt: expected }, leaseExpiresAt) =>
      answer(() => manifests.move(invocationId, leaseExpiresAt, expected) !== undefined),
    putDelivery: (delivery) => answer(() => deliveries.put(delivery)),
    getDelivery: (name) => answer(() => deliveries.get(name)),
    listDeliveries: (jobId) => answer(() => deliveries.list(jobId)),
    replaceDelivery: (next, seen) => answer(() => deliveries.replace(next, seen)),
    rearmDelivery: (delivery, dueAt) => answer(() => deliveries.rearm(delivery, dueAt)),
    putDeadLetter: (entry) =>
      answer(() => {
        stored.deadLetters.put(entry);
      }),
    removeDeadLetter: (jobId, before) =>
      answer(() => {
        stored.deadLetters.remove(jobId, before);
      }),
    listDeadLetters: (query) => answer(() => stored.deadLetters.list(query)),
    listDue: (now, limit) => answer(() => dueItems(stored, now, limit)),
    listJobs: (query) => answer(() => listJobs(jobs.all(), query)),
  };
}

type StoredItems = ReturnType<typeof storedItems>;

function storedItems(clock: Pick<Clock, 'now'>) {
  return {
    jobs: new JobItems(clock),
    journal: new JournalPages(clock),
    children: new PutOnceItems<ChildOutcome>(clock, {
      what: 'child outcome',
      jobId: ({ parentId }) => parentId,
      name: ({ childId }) => [childId],
    }),
    signals: new PutOnceItems<ReceivedSignal>(clock, {
      what: 'signal',
      jobId: ({ jobId }) => jobId,
      name: ({ name, signalId }) => [name, signalId],
    }),
    manifests: new Manifests(clock),
    deliveries: new Deliveries(clock),
    deadLetters: new DeadLetterEntries(),
  };
}

function historyOf(jobId: string, stored: StoredItems): JobHistory {
  const job = stored.jobs.get(jobId);
  const inputJson = job && stored.jobs.getInput(job);
  const history = {
    children: stored.children.list(jobId),
    pages: stored.journal.all(jobId),
    job,
    signals: stored.signals.list(jobId),
  };
  return inputJson === undefined ? history : { ...history, inputJson };
}

function lookAt({ journal, jobs }: StoredItems, jobId: string, after: PagePosition): JobLook {
  const { pages, next } = journal.list(jobId, after);
  const job = next === undefined ? jobs.get(jobId) : undefined;
  return { pages, isWhole: next === undefined, ...(job !== undefined && { job }) };
}

interface DueEntry {
  readonly id: string;
  readonly dueAt: number;
  readonly item: DueItem;
}

function dueItems(
  stored: Pick<StoredItems, 'jobs' | 'manifests' | 'deliveries'>,
  now: number,
  limit: number,
): DueItem[] {
  const taken = new Map<number, number>();
  return [
    ...jobEntries(stored.jobs),
    ...manifestEntries(stored.manifests),
    ...deliveryEntries(stored.deliveries),
  ]
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

function deliveryEntries(deliveries: Deliveries): DueEntry[] {
  return deliveries.all().flatMap(({ jobId, deliveryId, dueAt }) => {
    if (dueAt === undefined) return [];
    return [{ id: deliveryId, dueAt, item: { kind: 'delivery', jobId, deliveryId } }];
  });
}
