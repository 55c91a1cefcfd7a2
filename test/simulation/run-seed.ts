import { checkEnd } from './invariants/end-rules.ts';
import { sendAdversary } from './world/adversary.ts';
import { settleStragglers } from './world/drain.ts';
import { type Trace, type Violation, World } from './world/world.ts';

export interface Outcome {
  readonly seed: number;
  readonly violation: Violation | undefined;
  readonly events: number;
  readonly jobs: number;
}

/** A schedule that needs more than this does not drain: days of virtual time are only a few thousand events. */
const MAX_EVENTS = 50_000;
const MAX_EVENTS_PER_JOB = 1_000;
const MAX_VIRTUAL_MS = 60 * 86_400_000;

/** Runs the schedule of one seed until the world has drained, or something is wrong. */
export async function runSeed(seed: number, trace?: Trace): Promise<Outcome> {
  const world = new World(seed, trace);
  const { scheduler, random } = world;
  const { burst } = world;
  world.users.plan({ jobs: random.between(1, 4), commands: random.between(0, 8), burst });
  sendAdversary(world);
  settleStragglers(world);
  const latest = scheduler.now + MAX_VIRTUAL_MS;
  const isOver = (): boolean =>
    world.violation !== undefined ||
    scheduler.count > MAX_EVENTS + MAX_EVENTS_PER_JOB * world.storage.jobs.size ||
    scheduler.now > latest ||
    world.isQuiet();
  try {
    await scheduler.run(isOver);
  } catch (error) {
    world.violate('I1', String(error));
  }
  if (world.violation === undefined) await checkEnd(world);
  return {
    seed,
    violation: world.violation,
    events: scheduler.count,
    jobs: world.storage.jobs.size,
  };
}
