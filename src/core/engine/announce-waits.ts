import type { Job } from '../job/job.ts';
import { isAnnounced, putDeliveries } from '../notify/announce.ts';
import type { Delivery } from '../notify/delivery.ts';
import type { RunState, SignalWait } from './run-state.ts';

/**
 * Puts what is owed for waits that begin, before the job lets go: a crash in between loses no notification. The same wait in
 * a later slice has the same delivery, which is there already. Answers what was not.
 */
export async function putWaits(
  run: RunState,
  waits: readonly SignalWait[],
): Promise<readonly Delivery[]> {
  const { deps, job } = run;
  if (waits.length === 0 || !isAnnounced(job, 'waiting')) return [];
  const now = deps.clock.now();
  const made = await Promise.all(
    waits.map((wait) =>
      putDeliveries(deps, {
        event: 'waiting',
        job: waitingJob(run, wait, now),
        detail: wait.stepId,
        now,
      }),
    ),
  );
  return made.flat();
}

/** The job as it is about to be. */
function waitingJob({ job, view }: RunState, { name, until }: SignalWait, now: number): Job {
  return {
    ...job,
    status: 'waiting',
    waitingFor: 'signal',
    waitingOn: name,
    ...(until === undefined ? {} : { wakeAt: until }),
    totals: view.totals,
    updatedAt: now,
  };
}
