import { isFinal } from '../../../src/core/job/job.ts';
import type { World } from '../world/world.ts';

/** What must hold when the world has drained. */
export async function checkEnd(world: World): Promise<void> {
  checkDrained(world);
  await Promise.resolve();
}

function checkDrained(world: World): void {
  const { jobs, ledger, queue, violate, storage, scheduler } = world;
  for (const jobId of ledger.accepted) {
    if (!storage.jobs.has(jobId)) violate('I1', `${jobId} was accepted and is not there`);
  }
  for (const job of jobs) {
    if (!isFinal(job.status)) {
      const { jobId, status, waitingFor = '', generation, dueAt } = job;
      const left =
        dueAt === undefined ? 'never' : `in ${Math.round((dueAt - scheduler.now) / 1_000)} s`;
      violate(
        'I1',
        `${jobId} is still ${status} ${waitingFor} (generation ${generation}, due ${left}, ${scheduler.count} events)`,
      );
    }
    if (job.duties !== undefined) violate('I6', `${job.jobId} still owes ${job.duties.join()}`);
  }
  if (queue.deadLetters.length < ledger.poison)
    violate(
      'I7',
      `${ledger.poison} unreadable messages, ${queue.deadLetters.length} in the dead-letter queue`,
    );
}
