import { memoryJobStore } from '../../../src/adapters/memory/job-store.ts';
import { memoryPayloadStore } from '../../../src/adapters/memory/payload-store.ts';
import type { Job } from '../../../src/core/job/job.ts';
import type { JournalPage } from '../../../src/core/job/journal.ts';
import type { Delivery } from '../../../src/core/notify/delivery.ts';
import type { SliceManifest } from '../../../src/core/job/slice-manifest.ts';
import type { Clock } from '../../../src/core/ports/clock.ts';
import type { DueItem, JobHistory, JobStore } from '../../../src/core/ports/job-store.ts';
import type { PayloadStore } from '../../../src/core/ports/payload-store.ts';
import type { Weather } from './faults.ts';
import type { Network } from './network.ts';
import type { Random } from './random.ts';
import type { SimProcess } from './sim-process.ts';

/** Sees every write as it takes effect, in order. */
export interface WriteWatcher {
  jobWritten(by: SimProcess, before: Job | undefined, after: Job): void;
  pageWritten(by: SimProcess, page: JournalPage, job: Job | undefined): void;
  signalWritten(by: SimProcess, jobId: string): void;
  deliveryWritten(by: SimProcess, delivery: Delivery): void;
  manifestWritten(by: SimProcess, invocationId: string, manifest: SliceManifest | undefined): void;
}

/** The table and the bucket, as they are: what has taken effect, without any fault. */
export class Storage {
  readonly jobs = new Map<string, Job>();
  readonly manifests = new Map<string, SliceManifest>();
  readonly pages = new Map<string, JournalPage[]>();
  /** By id. */
  readonly deliveries = new Map<string, Delivery>();
  readonly store: JobStore;
  readonly payloads: PayloadStore = memoryPayloadStore();
  readonly #watcher: WriteWatcher;

  constructor(clock: Pick<Clock, 'now'>, watcher: WriteWatcher) {
    this.store = memoryJobStore(clock);
    this.#watcher = watcher;
  }

  /** What the calls of one process do when they take effect. */
  effectsOf(process: SimProcess): JobStore {
    const { store } = this;
    return {
      ...store,
      createJob: async (job, inputJson) => {
        const result = await store.createJob(job, inputJson);
        if (result.created) this.#noteJob(process, (await store.getJob(job.jobId)) ?? job);
        return result;
      },
      updateJob: async (jobId, update) => {
        const result = await store.updateJob(jobId, update);
        if (result.applied) this.#noteJob(process, result.job);
        return result;
      },
      appendPage: async (page) => {
        const answer = await store.appendPage(page);
        if (answer === 'appended') {
          this.#notePage(process, page);
        }
        return answer;
      },
      putSignal: async (signal) => {
        const answer = await store.putSignal(signal);
        this.#watcher.signalWritten(process, signal.jobId);
        return answer;
      },
      putDelivery: async (delivery) => {
        const answer = await store.putDelivery(delivery);
        if (answer === 'stored') this.#noteDelivery(process, delivery);
        return answer;
      },
      replaceDelivery: async (next, seen) => {
        const done = await store.replaceDelivery(next, seen);
        if (done) this.#noteDelivery(process, next);
        return done;
      },
      rearmDelivery: async (delivery, dueAt) => {
        const done = await store.rearmDelivery(delivery, dueAt);
        const now = done ? await store.getDelivery(delivery) : undefined;
        if (now !== undefined) this.#noteDelivery(process, now);
        return done;
      },
      putManifest: async (manifest) => {
        await store.putManifest(manifest);
        this.#noteManifest(process, manifest.invocationId, manifest);
      },
      renewManifest: async (invocationId, leaseExpiresAt) => {
        const manifest = await store.renewManifest(invocationId, leaseExpiresAt);
        if (manifest === undefined)
          process.refusedAt = Math.min(process.refusedAt, process.trueNow());
        else this.#noteManifest(process, invocationId, manifest);
        return manifest;
      },
      rearmManifest: async (manifest, leaseExpiresAt) => {
        const done = await store.rearmManifest(manifest, leaseExpiresAt);
        const { invocationId } = manifest;
        if (done) this.#noteManifest(process, invocationId, { ...manifest, leaseExpiresAt });
        return done;
      },
      deleteManifest: async (invocationId) => {
        await store.deleteManifest(invocationId);
        this.#noteManifest(process, invocationId, undefined);
      },
    };
  }

  /** When the index names something next. */
  nextDue(): number {
    let next = Infinity;
    for (const { dueAt } of this.jobs.values())
      if (dueAt !== undefined) next = Math.min(next, dueAt);
    for (const { leaseExpiresAt } of this.manifests.values()) next = Math.min(next, leaseExpiresAt);
    for (const { dueAt } of this.deliveries.values())
      if (dueAt !== undefined) next = Math.min(next, dueAt);
    return next;
  }

  #noteJob(process: SimProcess, job: Job): void {
    const before = this.jobs.get(job.jobId);
    this.jobs.set(job.jobId, job);
    this.#watcher.jobWritten(process, before, job);
  }

  #notePage(process: SimProcess, page: JournalPage): void {
    const { jobId, generation, seq } = page;
    const pages = this.pages.get(jobId) ?? [];
    this.pages.set(jobId, pages);
    const place = pages.findIndex((other) => other.generation === generation && other.seq === seq);
    // The same page sent again is not another one.
    if (place < 0) pages.push(page);
    this.#watcher.pageWritten(process, page, this.jobs.get(jobId));
  }

  #noteDelivery(process: SimProcess, delivery: Delivery): void {
    this.deliveries.set(delivery.deliveryId, delivery);
    this.#watcher.deliveryWritten(process, delivery);
  }

  #noteManifest(
    process: SimProcess,
    invocationId: string,
    manifest: SliceManifest | undefined,
  ): void {
    if (manifest === undefined) this.manifests.delete(invocationId);
    else this.manifests.set(invocationId, manifest);
    this.#watcher.manifestWritten(process, invocationId, manifest);
  }
}

export interface Link {
  readonly network: Network;
  readonly storage: Storage;
  readonly random: Random;
  readonly weather: Weather;
  readonly isFair: () => boolean;
}

const METHODS = [
  'createJob',
  'getJob',
  'updateJob',
  'getInput',
  'putResult',
  'getResult',
  'appendPage',
  'readPages',
  'lastPage',
  'listPages',
  'lookAt',
  'putSignal',
  'listSignals',
  'putChildOutcome',
  'listChildOutcomes',
  'putDelivery',
  'getDelivery',
  'listDeliveries',
  'replaceDelivery',
  'rearmDelivery',
  'putManifest',
  'renewManifest',
  'callAttention',
  'deleteManifest',
  'getManifest',
  'rearmManifest',
  'listDue',
  'putDeadLetter',
  'removeDeadLetter',
  'listDeadLetters',
] as const satisfies readonly (keyof JobStore)[];

type Call = (...args: readonly unknown[]) => Promise<unknown>;

/** The table as a process reaches it: over the network, and with reads as weak as the real ones. */
export function storeOf(process: SimProcess, link: Link): JobStore {
  const { network, storage } = link;
  const effects = weakReads(storage.effectsOf(process), link) as unknown as Record<
    (typeof METHODS)[number],
    Call
  >;
  const facade: Record<string, Call> = {};
  for (const name of METHODS) {
    const perform = effects[name];
    facade[name] = (...args) => network.call(process, name, args, () => perform(...args));
  }
  facade['loadHistory'] = (jobId) => {
    const isTorn = !link.isFair() && link.random.chance(link.weather.tornQuery);
    return isTorn
      ? tornHistory(process, link, jobId as string)
      : network.call(process, 'loadHistory', [jobId], () =>
          storage.store.loadHistory(jobId as string),
        );
  };
  return facade as unknown as JobStore;
}

/** A query is no snapshot: its items are read one after the other, in key order, while others write. */
async function tornHistory(process: SimProcess, link: Link, jobId: string): Promise<JobHistory> {
  const { store } = link.storage;
  const read = <T>(part: string, perform: () => Promise<T>): Promise<T> =>
    link.network.call(process, `loadHistory(${part})`, [jobId], perform);
  const children = await read('children', () => store.listChildOutcomes(jobId));
  const pages = await read('pages', async () => (await store.loadHistory(jobId)).pages);
  const { job, inputJson } = await read('job', () => store.loadHistory(jobId));
  const signals = await read('signals', () => store.listSignals(jobId));
  return { children, pages, job, signals, ...(inputJson === undefined ? {} : { inputJson }) };
}

function weakReads(store: JobStore, link: Link): JobStore {
  const { random, weather, isFair } = link;
  const isStale = (): boolean => !isFair() && random.chance(weather.staleRead);
  return {
    ...store,
    lastPage: async (jobId, generation) => {
      const pages = isStale() ? await store.readPages({ jobId, generation, afterSeq: 0 }) : [];
      const older = pages[random.between(0, Math.max(0, pages.length - 1))];
      return older ?? store.lastPage(jobId, generation);
    },
    listPages: async (jobId, cursor) => {
      const answer = await store.listPages(jobId, cursor);
      return isStale() ? { pages: answer.pages.slice(0, -random.between(1, 3)) } : answer;
    },
    listDue: async (now, limit) => {
      const due = await store.listDue(now, limit);
      if (isFair()) return due;
      const named = due.filter(() => !random.chance(weather.lateIndex));
      return [...named, ...strays(link)];
    },
  };
}

/** What the index still names although it is not due any more. */
function strays({ random, weather, storage }: Link): DueItem[] {
  if (!random.chance(weather.lateIndex)) return [];
  const jobs = [...storage.jobs.keys()].filter(() => random.chance(0.3));
  const slices = [...storage.manifests.keys()].filter(() => random.chance(0.3));
  return [
    ...jobs.map((jobId) => ({ kind: 'job', jobId }) as const),
    ...slices.map((invocationId) => ({ kind: 'slice', invocationId }) as const),
  ];
}
