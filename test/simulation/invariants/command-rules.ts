import { CLEAN_UP } from '../agents/bind.ts';
import { widthOf } from '../agents/spec.ts';
import type { World } from '../world/world.ts';

/** What becomes of commands once they are recorded. */
export function checkCommands(world: World): void {
  const { ledger, violate, storage } = world;
  for (const [key, epoch] of ledger.cancels) {
    const [jobId = '', generation] = key.split(' g');
    const final = ledger.finals.get(jobId)?.get(Number(generation));
    if (final?.status === 'succeeded' && final.epoch > epoch)
      violate(
        'I5',
        `${jobId} succeeded in attempt ${final.epoch}; its cancel was recorded in attempt ${epoch}`,
      );
  }
  for (const announced of ledger.announced) {
    const { jobId, process, generation, afterWrites, untilWrites, type } = announced;
    const versions = world.versionsOf(storage.jobs.get(jobId)?.agent ?? '');
    const width = Math.max(...versions.map(({ plan }) => widthOf(plan)));
    const starts = (ledger.startsOf.get(jobId) ?? []).filter(
      (start) =>
        start.process === process &&
        start.generation === generation &&
        start.afterWrites >= afterWrites &&
        start.afterWrites < untilWrites &&
        !start.path.startsWith(CLEAN_UP),
    );
    if (starts.length > width)
      violate('I5', `${process} started ${starts.length} steps of ${jobId} after ${type}`);
  }
}
