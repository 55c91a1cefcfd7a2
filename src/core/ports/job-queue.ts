/** A queue message: a hint that a job wants attention. It carries no state, so a duplicated, late or lost one is harmless. */
export interface JobHint {
  readonly v: 1;
  readonly jobId: string;
  readonly tenantId: string;
  /** Decides the lane. Absent in hints of before there were lanes. */
  readonly agent?: string;
  /** `strayed`: handed over by the worker of another lane. */
  readonly reason: 'submitted' | 'continued' | 'woken' | 'overdue' | 'crashed' | 'strayed';
  readonly traceparent?: string;
}

/** The lane of every agent that no other names. */
export const DEFAULT_LANE = 'default';

/** A hint on its way into the jobs queue of its lane. */
export interface QueuedHint {
  readonly hint: JobHint;
  /** 0 to 900. */
  readonly delaySeconds: number;
}

/** One that did not get into the queue, and why. */
export interface RefusedHint extends QueuedHint {
  readonly error: unknown;
}

/** Puts many hints into the jobs queues in as few requests as it takes. */
export interface HintBatches {
  /** Those that were refused; the others are sent. */
  sendAll(hints: readonly QueuedHint[]): Promise<readonly RefusedHint[]>;
}

/**
 * The queues of hints. Each lane, a worker for some agents, has two of them: one for all its jobs, one for those that must run
 * alone. The agent that a hint names decides the lane, here and nowhere else.
 */
export interface JobQueue {
  /** `isolated` sends to the queue whose batches hold one job. `delaySeconds` 0 to 900. */
  send(
    hint: JobHint,
    options?: { readonly isolated?: boolean; readonly delaySeconds?: number },
  ): Promise<void>;
  /** Approximate number of messages ready for delivery in the jobs queue of a lane. */
  backlog(lane: string): Promise<number>;
  /** The lane that takes the jobs of an agent. */
  laneOf(agent: string): string;
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
