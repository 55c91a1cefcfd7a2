import { CLEAN_UP } from '../agents/bind.ts';
import { widthOf } from '../agents/spec.ts';
import type { World } from '../world/world.ts';

/** What becomes of commands once they are recorded. */
export function checkCommands(world: World): void {
  const { ledger, violate, storage, agents } = world;
  for (const [key, epoch] of ledger.cancels) {
    const [jobId = '', generation] = key.split(' g');
    const final = ledger.finals.get(jobId)?.get(Number(generation));
    if (final?.status === 'succeeded' && final.epoch > epoch)
      violate(
        'I5',
        `${jobId} succeeded in attempt ${final.epoch}; its cancel was recorded in attempt ${epoch}`,
      );
  }
  for (const { jobId, process, generation, afterWrites, type } of ledger.announced) {
    const spec = agents.find(({ name }) => name === storage.jobs.get(jobId)?.agent);
    const starts = (ledger.startsOf.get(jobId) ?? []).filter(
      (start) =>
        start.process === process &&
        start.generation === generation &&
        start.afterWrites >= afterWrites &&
        !start.path.startsWith(CLEAN_UP),
    );
    if (spec !== undefined && starts.length > widthOf(spec.plan))
      violate('I5', `${process} started ${starts.length} steps of ${jobId} after ${type}`);
  }
}
