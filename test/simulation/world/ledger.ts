import type { Job } from '../../../src/core/job/job.ts';
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

/** What really happened, kept beside the table and apart from the engine. */
export class Ledger {
  readonly starts: StepStart[] = [];
  /** By job, generation and path: what `run` saw first. */
  readonly seen = new Map<string, string>();
  readonly signals: SentSignal[] = [];
  /** Jobs whose submission was answered. */
  readonly accepted = new Set<string>();
  /** Every final status a job had, by generation. */
  readonly finals = new Map<string, Map<number, Job>>();
  readonly letters: DeadLetter[] = [];
  /** Idempotency key by job and path. */
  readonly keys = new Map<string, string>();
  /** By job and generation: the epoch in which a cancel was recorded. */
  readonly cancels = new Map<string, number>();
  readonly forks = new Map<string, { from: Job; fromStep: string }>();
  poison = 0;
  writes = 0;
}
