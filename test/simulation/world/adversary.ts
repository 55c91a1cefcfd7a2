import type { JobUpdate } from '../../../src/core/job/item-update.ts';
import { isFinal } from '../../../src/core/job/job.ts';
import type { Plan, PlannedFault } from './network.ts';
import type { Random } from './random.ts';
import type { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

/** Sequences that chance alone hits too rarely: each found a hole in some version of the protocol. */
const ADVERSARIES = {
  /** A worker stands still before its final write; meanwhile the job ends otherwise and is restarted. */
  freezeFinish: (world) =>
    once(world, isFinish, (jobId) => {
      haunt(world, jobId, ['cancel', 'retry', 'signal', 'cancel', 'retry']);
      return freezeLong(world);
    }),
  /** Whoever does the duties of a job stands still before it strikes one off; meanwhile others do them, and a user restarts it. */
  freezeDuty: (world) =>
    once(world, isDutyDone, (jobId) => {
      haunt(world, jobId, ['retry', 'retry', 'cancel', 'retry']);
      return freezeLong(world);
    }),
  /** A worker stands still before it adds to the journal, and goes on when the history has gone on without it. */
  freezeAppend: (world) =>
    once(
      world,
      (name) => name === 'appendPage',
      (jobId) => {
        haunt(world, jobId, ['signal', 'cancel', 'retry']);
        return freezeLong(world);
      },
    ),
  /** A worker stands still before it lets go of a job. */
  freezeSuspend: (world) =>
    once(world, isSuspend, (jobId) => {
      haunt(world, jobId, ['signal', 'pause', 'resume', 'cancel']);
      return freezeLong(world);
    }),
  /** Between the parts of one query much time passes, in which sub-jobs end and signals come. */
  tornQueries: (world) => (process, name) =>
    process.role === 'worker' && name.startsWith('loadHistory(') && world.random.chance(0.5)
      ? { fault: 'slow' }
      : undefined,
  /** A cancel that found the job untouched takes effect when a worker has had it. */
  lateCancel: (world) => {
    const failed = new Set<unknown>();
    const late = once(world, isCancelAtOnce, () => ({
      fault: 'freezeBefore',
      forMs: world.random.magnitude(1_000, 60_000),
    }));
    return (process, name, args) => {
      // Each job is handed back once, so that it is queued again with a history.
      const key = (args[0] as { jobId?: unknown } | undefined)?.jobId;
      if (name === 'appendPage' && !failed.has(key) && world.random.chance(0.5)) {
        failed.add(key);
        return { fault: 'loseAnswer' };
      }
      return late(process, name, args);
    };
  },
  /** Commands meet a worker between its claim and its look at the history. */
  slowLoad: (world) =>
    once(
      world,
      (name) => name.startsWith('loadHistory'),
      (jobId) => {
        haunt(world, jobId, ['cancel', 'signal', 'pause', 'resume'], 200);
        return { fault: 'freezeBefore', forMs: world.random.between(1_000, 8_000) };
      },
      3,
    ),
} as const satisfies Record<string, (world: World) => Plan>;

/** Some seeds have an adversary beside the weather. */
export function sendAdversary(world: World): void {
  const { random, network } = world;
  if (!random.chance(0.4)) return;
  const name = random.pick(Object.keys(ADVERSARIES)) as keyof typeof ADVERSARIES;
  world.trace?.(`adversary: ${name}`);
  network.plan = ADVERSARIES[name](world);
}

function once(
  world: World,
  isTarget: (name: string, update: JobUpdate | undefined) => boolean,
  strike: (jobId: string) => PlannedFault,
  times = 2,
): Plan {
  let left = times;
  return (process: SimProcess, name, args) => {
    if (left === 0 || process.role === 'sweeper') return undefined;
    const update = name === 'updateJob' ? (args[1] as JobUpdate) : undefined;
    if (!isTarget(name, update) || !world.random.chance(0.4)) return undefined;
    left--;
    const [first] = args;
    const jobId = typeof first === 'string' ? first : (first as { jobId: string }).jobId;
    return strike(jobId);
  };
}

const isFinish = (_name: string, update: JobUpdate | undefined): boolean =>
  update?.set?.status !== undefined &&
  isFinal(update.set.status) &&
  update.remove?.includes('owner') === true;

const isDutyDone = (_name: string, update: JobUpdate | undefined): boolean =>
  update?.set?.status === undefined &&
  (update?.set?.duties !== undefined || update?.remove?.includes('duties') === true);

const isSuspend = (_name: string, update: JobUpdate | undefined): boolean =>
  update?.set?.status === 'waiting';

const isCancelAtOnce = (_name: string, update: JobUpdate | undefined): boolean =>
  update?.set?.status === 'cancelled' && update.remove?.includes('owner') !== true;

function freezeLong({ random, fleet }: World): PlannedFault {
  return { fault: 'freezeBefore', forMs: random.between(fleet.leaseMs, fleet.leaseMs * 5) };
}

/** Sends commands to one job, one after the other. */
function haunt(
  world: World,
  jobId: string,
  commands: readonly ('cancel' | 'retry' | 'signal' | 'pause' | 'resume')[],
  paceMs = world.fleet.leaseMs,
): void {
  const { scheduler, random, storage, users } = world;
  let at = 0;
  for (const command of commands) {
    at += pace(random, paceMs);
    scheduler.in(at, () => {
      const job = storage.jobs.get(jobId);
      if (job !== undefined && !world.isFair()) users.command(command, job, { fits: true });
    });
  }
}

function pace(random: Random, paceMs: number): number {
  return random.between(1, Math.round(paceMs * 1.5));
}
