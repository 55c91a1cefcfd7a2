import type { Clock } from '../ports/clock.ts';
import type { JobQueue } from '../ports/job-queue.ts';

/** API Gateway waits 29 s, the SDK up to 25 s for a silent queue: the caller's answer comes before. */
const SEND_LIMIT_MS = 3_000;

/** A queue that refuses a hint instead of waiting long for it: the sweeper sends what was refused. */
export function impatientQueue(queue: JobQueue, clock: Pick<Clock, 'setTimer'>): JobQueue {
  return {
    backlog: () => queue.backlog(),
    send: async (hint, options) => {
      let cancel = (): void => undefined;
      const late = new Promise<never>((_resolve, reject) => {
        cancel = clock.setTimer(SEND_LIMIT_MS, () => {
          reject(new Error(`no answer within ${SEND_LIMIT_MS} ms`));
        });
      });
      try {
        await Promise.race([queue.send(hint, options), late]);
      } finally {
        cancel();
      }
    },
  };
}
