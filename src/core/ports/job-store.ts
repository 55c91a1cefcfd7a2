import type { DeliveryName } from '../notify/delivery.ts';
import type { JobUpdate, UpdateResult } from '../job/item-update.ts';
import type { ChildOutcome } from '../job/child-outcome.ts';
import type { DeadLetterEntry, DeadLetterPosition } from '../job/dead-letter-entry.ts';
import type { Job } from '../job/job.ts';
import type { JournalPage } from '../job/journal.ts';
import type { ListPosition } from '../job/list-position.ts';
import type { ReceivedSignal } from '../job/signal.ts';
import type { SliceManifest } from '../job/slice-manifest.ts';
import type { DeliveryStore } from './delivery-store.ts';

/** Everything of a job that a worker needs after its claim, from one strongly consistent read in key order. */
export interface JobHistory {
  /** JSON text of the input when it is in an item of its own. */
  readonly inputJson?: string;
  /** All generations, oldest first. */
  readonly pages: readonly JournalPage[];
  /** Outcomes of sub-jobs, read before the pages. */
  readonly children: readonly ChildOutcome[];
  /** In the order of names and ids, read after the job. */
  readonly signals: readonly ReceivedSignal[];
  /** Read after the pages: `undefined` when the job is gone or expired. */
  readonly job: Job | undefined;
}

/** What the `due` index names: a job, the manifest of an invocation, or a delivery. */
export type DueItem =
  | { readonly kind: 'job'; readonly jobId: string }
  | { readonly kind: 'slice'; readonly invocationId: string }
  | ({ readonly kind: 'delivery' } & DeliveryName);

/** Which of a tenant's jobs to list. */
export interface JobListQuery {
  readonly tenantId: string;
  /** Instants of creation, both included. */
  readonly from: number;
  readonly to: number;
  /** Jobs behind it only. */
  readonly after?: ListPosition;
  /** Keys to look at, 1 to 100. */
  readonly limit: number;
}

/** A part of the list: what was looked at, newest first. Without entries there is no more. */
export interface JobListing {
  readonly entries: readonly ListedJob[];
  readonly hasMore: boolean;
}

export interface ListedJob {
  /** Undefined: it is gone or expired. */
  readonly job: Job | undefined;
  readonly position: ListPosition;
}

/**
 * The durable state: one table of job items, journal pages and manifests. Every write is one conditional request on one
 * item and may be sent again when its answer was lost. Expired items are treated as absent.
 */
export interface JobStore extends DeliveryStore {
  /** Puts the job if it is absent; `inputJson` (when `job.input.kind` is `item`) is stored first. The existing job when there is one. */
  createJob(
    job: Job,
    inputJson?: string,
  ): Promise<{ created: true } | { created: false; existing: Job }>;
  /** Strongly consistent. */
  getJob(jobId: string): Promise<Job | undefined>;
  updateJob(jobId: string, update: JobUpdate): Promise<UpdateResult>;

  /** Input kept in an item of its own, as JSON text. */
  getInput(job: Pick<Job, 'jobId' | 'fingerprint'>): Promise<string | undefined>;
  /**
   * Result kept in an item of its own, as JSON text; putting the same again is harmless. The epoch keeps a worker that lost
   * the job from overwriting the result of the one that finished it; a final job still has the epoch of that worker.
   */
  putResult(result: {
    jobId: string;
    generation: number;
    epoch: number;
    json: string;
    expiresAtSeconds: number;
  }): Promise<void>;
  getResult(job: Pick<Job, 'jobId' | 'generation' | 'epoch'>): Promise<string | undefined>;

  loadHistory(jobId: string): Promise<JobHistory>;
  /**
   * Puts the page if its place is free; a place held by the very same page (an answer was lost) counts as appended.
   * @throws AppError `payload_too_large` for a page above `ITEM_LIMIT_BYTES`
   */
  appendPage(page: JournalPage): Promise<'appended' | 'conflict'>;
  /** Strongly consistent; pages of one generation behind `afterSeq`, oldest first. */
  readPages(position: {
    jobId: string;
    generation: number;
    afterSeq: number;
  }): Promise<JournalPage[]>;
  /** Newest page of a generation; eventually consistent. */
  lastPage(jobId: string, generation: number): Promise<JournalPage | undefined>;
  /**
   * Pages of all generations for readers, oldest first, at most 1 MB; `cursor` continues behind the last page seen. An answer
   * with `next` may be followed by one without pages. Eventually consistent.
   */
  listPages(
    jobId: string,
    cursor?: PagePosition,
  ): Promise<{ pages: JournalPage[]; next?: PagePosition }>;

  /**
   * One look at a job for those who follow it: pages behind `after`, of all generations, oldest first and at most 1 MB of them,
   * then the job. Where pages may have been written before the job, but not seen with it, only a consistent look shows them.
   */
  lookAt(
    jobId: string,
    after: PagePosition,
    options: { readonly consistent: boolean },
  ): Promise<JobLook>;

  /** Puts a signal if it is absent. */
  putSignal(signal: ReceivedSignal): Promise<'stored' | 'duplicate'>;
  /** Strongly consistent. */
  listSignals(jobId: string): Promise<ReceivedSignal[]>;
  /** Puts the outcome of a sub-job if it is absent. */
  putChildOutcome(outcome: ChildOutcome): Promise<'stored' | 'duplicate'>;
  /** Strongly consistent. */
  listChildOutcomes(parentId: string): Promise<ChildOutcome[]>;

  putManifest(manifest: SliceManifest): Promise<void>;
  /** The manifest as it then is; undefined when it is gone: the lease is lost. */
  renewManifest(invocationId: string, leaseExpiresAt: number): Promise<SliceManifest | undefined>;
  /** Adds the job to `attention` of the manifest, if there is one: its next renewal brings it to the worker. */
  callAttention(invocationId: string, jobId: string): Promise<void>;
  deleteManifest(invocationId: string): Promise<void>;
  /** Strongly consistent. */
  getManifest(invocationId: string): Promise<SliceManifest | undefined>;
  /** Moves `leaseExpiresAt` when it still is `expected`: keeps two sweepers apart. */
  rearmManifest(manifest: SliceManifest, leaseExpiresAt: number): Promise<boolean>;

  /** Lists a dead-lettered job; the entry of the same or a later generation stays as it is. */
  putDeadLetter(entry: DeadLetterEntry): Promise<void>;
  /** Takes the job out of the list, unless its entry is of `before` or a later generation. */
  removeDeadLetter(jobId: string, before: number): Promise<void>;
  /** Dead letters of a tenant, newest first. Eventually consistent: read each job that it names. */
  listDeadLetters(query: {
    readonly tenantId: string;
    readonly limit: number;
    readonly after?: DeadLetterPosition;
  }): Promise<{ entries: readonly DeadLetterPosition[]; hasMore: boolean }>;

  /**
   * What is due by `now`, most overdue first; at most `limit` per shard of the index. Eventually consistent: it may name
   * what is gone, expired or no longer due, so read each hit.
   */
  listDue(now: number, limit: number): Promise<DueItem[]>;
  /**
   * A tenant's jobs by their creation, at most `limit` keys of them, in a number of requests that depends on nothing. Eventually
   * consistent.
   */
  listJobs(query: JobListQuery): Promise<JobListing>;
}

/** What one look at a job shows. */
export interface JobLook {
  readonly pages: readonly JournalPage[];
  /** Whether the look reached the job: else there are more pages behind these. */
  readonly isWhole: boolean;
  /** Read after the pages; absent from a whole look when the job is gone or expired. */
  readonly job?: Job;
}

/** Place of a page in the journal of a job. */
export interface PagePosition {
  readonly generation: number;
  readonly seq: number;
}
