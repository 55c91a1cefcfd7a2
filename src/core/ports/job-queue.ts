/** A queue message: a hint that a job wants attention. It carries no state, so a duplicated, late or lost one is harmless. */
export interface JobHint {
  readonly v: 1;
  readonly jobId: string;
  readonly tenantId: string;
  readonly reason: 'submitted' | 'continued' | 'woken' | 'overdue' | 'crashed';
  readonly traceparent?: string;
}

/** A hint on its way into the jobs queue. */
export interface QueuedHint {
  readonly hint: JobHint;
  /** 0 to 900. */
  readonly delaySeconds: number;
}

/** One that did not get into the queue, and why. */
export interface RefusedHint extends QueuedHint {
  readonly error: unknown;
}

/** Puts many hints into the jobs queue in as few requests as it takes. */
export interface HintBatches {
  /** Those that were refused; the others are sent. */
  sendAll(hints: readonly QueuedHint[]): Promise<readonly RefusedHint[]>;
}

/** The two queues of hints: one for all jobs, one for those that must run alone. */
export interface JobQueue {
  /** `isolated` sends to the queue whose batches hold one job. `delaySeconds` 0 to 900. */
  send(
    hint: JobHint,
    options?: { readonly isolated?: boolean; readonly delaySeconds?: number },
  ): Promise<void>;
  /** Approximate number of messages ready for delivery in the jobs queue. */
  backlog(): Promise<number>;
}

/** What an operator finds in the dead-letter queue. */
export interface DeadLetter {
  readonly v: 1;
  readonly jobId: string;
  readonly tenantId: string;
  readonly agent: string;
  readonly generation: number;
  readonly code: string;
  readonly message: string;
  readonly step?: string;
  readonly attempt: number;
  readonly cause?: { readonly name: string; readonly message: string; readonly code?: string };
  readonly failedAt: string;
}

/** Where an operator finds what was given up; sent at least once. */
export interface DeadLetterQueue {
  send(letter: DeadLetter): Promise<void>;
}
