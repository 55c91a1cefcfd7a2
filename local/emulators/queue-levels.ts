import type { Queue } from './fauxqs-stores.ts';

/** How full a queue is. */
export interface QueueLevels {
  readonly queue: string;
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
  /** Of the message that has been in the queue for the longest time, in flight or not; null for an empty queue. */
  readonly oldestSentAt: number | null;
}

/** SQS leaves out of the age what has been received so often: it goes to the back of the queue. */
const RECEIVED_TOO_OFTEN = 3;

export function levelsOf(queue: Queue): QueueLevels {
  queue.processTimers();
  const inFlight = Array.from(queue.inflightMessages.values(), ({ message }) => message);
  const sent = [...queue.messages, ...inFlight]
    .filter(({ approximateReceiveCount: received }) => received < RECEIVED_TOO_OFTEN)
    .map(({ sentTimestamp }) => sentTimestamp);
  return {
    queue: queue.name,
    visible: queue.messages.length,
    inFlight: inFlight.length,
    delayed: queue.delayedMessages.length,
    oldestSentAt: sent.length === 0 ? null : sent.reduce((least, at) => Math.min(least, at)),
  };
}
