import type { Clock } from '../ports/clock.ts';
import type { HintBatches, JobQueue } from '../ports/job-queue.ts';

/** API Gateway waits 29 s, the SDK up to 25 s for a silent queue: the caller's answer comes before. */
const SEND_LIMIT_MS = 3_000;

type Timer = Pick<Clock, 'setTimer'>;

/** A queue that refuses a hint instead of waiting long for it: the sweeper sends what was refused. */
export function impatientQueue(queue: JobQueue, clock: Timer): JobQueue {
  return {
    backlog: (lane) => queue.backlog(lane),
    laneOf: (agent) => queue.laneOf(agent),
    send: (hint, options) => inTime(clock, queue.send(hint, options)),
  };
}

/** The same for hints that are sent together. */
export function impatientBatches(batches: HintBatches, clock: Timer): HintBatches {
  return { sendAll: (hints) => inTime(clock, batches.sendAll(hints)) };
}

async function inTime<Value>(clock: Timer, sent: Promise<Value>): Promise<Value> {
  let cancel = (): void => undefined;
  const late = new Promise<never>((_resolve, reject) => {
    cancel = clock.setTimer(SEND_LIMIT_MS, () => {
      reject(new Error(`no answer within ${SEND_LIMIT_MS} ms`));
    });
  });
  try {
    return await Promise.race([sent, late]);
  } finally {
    cancel();
  }
}
