import { isFinal, type Job } from '../../../src/core/job/job.ts';
import type { World } from './world.ts';

const LOOK_MS = 30_000;

/**
 * After the horizon users see to what is theirs to see to: paused jobs are resumed, and whoever waits for a signal without an
 * end gets one, unless it has one already: then it must move by itself.
 */
export function settleStragglers(world: World): void {
  const { scheduler, horizon } = world;
  let pauseMs = LOOK_MS;
  const look = (): void => {
    const stuck = world.jobs.filter((job) => !isFinal(job.status));
    for (const job of stuck) {
      if (job.paused === true) world.users.command('resume', job);
      else if (job.status === 'waiting' && job.waitingFor === 'signal' && job.wakeAt === undefined)
        feed(world, job);
    }
    // Who sleeps for days need not be looked at twice a minute.
    pauseMs = Math.min(pauseMs * 1.5, 3_600_000);
    if (!world.isQuiet()) scheduler.in(pauseMs, look);
  };
  scheduler.at(horizon + LOOK_MS, look);
}

function feed(world: World, job: Job): void {
  const { ledger, storage } = world;
  const entries = (storage.pages.get(job.jobId) ?? []).flatMap((page) => page.entries);
  const consumed = new Set(
    entries.flatMap((entry) =>
      entry.type === 'signal.received' || entry.type === 'signal.rejected'
        ? [`${entry.name} ${entry.signalId}`]
        : [],
    ),
  );
  const waits = entries.flatMap((entry) => (entry.type === 'wait.started' ? [entry.name] : []));
  for (const name of new Set(waits)) {
    const lost = ledger.signals.find(
      (sent) =>
        sent.jobId === job.jobId &&
        sent.name === name &&
        sent.acked &&
        !consumed.has(`${name} ${sent.signalId}`),
    );
    if (lost === undefined) world.users.signalTo(job, name);
  }
}
