import type { Job } from '../../../src/core/job/job.ts';
import type { JournalPage } from '../../../src/core/job/journal.ts';
import type { DeadLetter } from '../../../src/core/ports/job-queue.ts';

/** A step's function was called. */
export interface StepStart {
  readonly jobId: string;
  readonly path: string;
  readonly process: string;
  readonly generation: number;
  readonly at: number;
  readonly tryNumber: number;
  readonly key: string;
  readonly nonce: string;
  /** Number of writes that had taken effect. */
  readonly afterWrites: number;
}

export interface SentSignal {
  readonly jobId: string;
  readonly name: string;
  readonly signalId: string;
  readonly fits: boolean;
  /** The command was answered with `done`. */
  acked: boolean;
}

export interface Announced {
  readonly jobId: string;
  readonly generation: number;
  readonly process: string;
  readonly type: 'cancel.requested' | 'pause.requested';
  readonly afterWrites: number;
  /** Number of the write that took it back. */
  untilWrites: number;
}

/** What really happened, kept beside the table and apart from the engine. */
export class Ledger {
  readonly starts: StepStart[] = [];
  readonly startsOf = new Map<string, StepStart[]>();
  /** By job, generation and path: what `run` saw first. */
  readonly seen = new Map<string, string>();
  /** By job, generation, version and number: whose outcome `run` saw as its first, second, … */
  readonly sequence = new Map<string, string>();
  readonly signals: SentSignal[] = [];
  /** Jobs whose submission was answered. */
  readonly accepted = new Set<string>();
  /** Every final status a job had, by generation. */
  readonly finals = new Map<string, Map<number, Job>>();
  readonly letters: DeadLetter[] = [];
  /** Idempotency key by job and path, and by generation for a clean-up. */
  readonly keys = new Map<string, string>();
  /** By job and generation: the epoch in which a cancel was recorded. */
  readonly cancels = new Map<string, number>();
  readonly forks = new Map<string, { from: Job; fromStep: string }>();
  /** By parent, generation and spawn: the sub-jobs made. */
  readonly children = new Map<string, Set<string>>();
  /** Generation of the parent in which a sub-job was made. */
  readonly born = new Map<string, number>();
  /** Number of the write that brought a page. */
  readonly pageNumbers = new WeakMap<JournalPage, number>();
  /** Pages whose writer may not know that they are stored. */
  readonly unsure = new WeakSet<JournalPage>();
  /** Invocations of which a claim met a fault. */
  readonly unsureClaims = new Set<string>();
  /** Pages that were there before their job. */
  readonly copies = new WeakSet<JournalPage>();
  /** By process and job: number of the write that claimed it. */
  readonly claims = new Map<string, number>();
  /** By job and generation: environments lost in a row, as the simulator counts them. */
  readonly crashes = new Map<string, number>();
  /** Jobs whose count of crashes could not be reset. */
  readonly uncounted = new Set<string>();
  /** Commands that were put into the journal of a job while a process held it. */
  readonly announced: Announced[] = [];
  /** Ids of all webhooks that reached their receiver, in order. */
  readonly webhooks: string[] = [];
  poison = 0;
  writes = 0;
}
