import type { JobUpdate } from '../../../src/core/job/item-update.ts';
import { isFinal, type Job } from '../../../src/core/job/job.ts';
import type { JournalPage } from '../../../src/core/job/journal.ts';
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
  /** A restart that found the job ended takes effect when it has been restarted and has ended again. */
  lateRestart: (world) =>
    once(
      world,
      (_name, update) => update?.add?.generation !== undefined,
      (jobId) => {
        haunt(world, jobId, ['retry', 'cancel', 'retry', 'cancel'], 5_000);
        return { fault: 'freezeBefore', forMs: world.random.between(5_000, 60_000) };
      },
    ),
  /** Between the parts of one query much time passes, in which sub-jobs end; signals make their parents look. */
  tornQueries: (world) => {
    world.weather.tornQuery = 1;
    wakeParents(world);
    return (process, name) =>
      process.role === 'worker' && /\((?:pages|job)\)$/.test(name) && world.random.chance(0.7)
        ? { fault: 'slow' }
        : undefined;
  },
  /** A worker stands still between two parts of its look at a job, and loses its lease. */
  freezeLoad: (world) => {
    world.weather.tornQuery = 1;
    return (process, name) =>
      process.role === 'worker' && name === 'loadHistory(job)' && world.random.chance(0.3)
        ? { fault: 'freezeAfter', forMs: freezeLong(world).forMs ?? 0 }
        : undefined;
  },
  /**
   * Workers die before they can reset the count of crashes; one that gives up stands still while it reads, and one that goes on
   * before it has added more than its fence.
   */
  miscount: (world) => {
    let deaths = 6;
    return (process, name, args) => {
      if (process.role !== 'worker') return undefined;
      if (name === 'lastPage') return world.random.chance(0.5) ? freezeLong(world) : undefined;
      if (isFence(name, args) && world.random.chance(0.5))
        return { fault: 'freezeAfter', forMs: world.random.between(1_000, world.fleet.leaseMs) };
      const set = name === 'updateJob' ? (args[1] as JobUpdate).set : undefined;
      const isReset = set?.crashes === 0 && set.status === undefined;
      const mayDie = isReset ? 0.8 : name === 'appendPage' ? 0.25 : 0;
      if (deaths === 0 || !world.random.chance(mayDie)) return undefined;
      deaths--;
      return { fault: 'dieBefore' };
    };
  },
  /** A cancel that found the job untouched takes effect when a worker has had it. */
  lateCancel: (world) => {
    const failed = new Set<unknown>();
    return (process, name, args) => {
      const [first] = args;
      if (name === 'createJob' && process.role === 'user') {
        haunt(world, (first as { jobId: string }).jobId, ['cancel'], 60);
        return undefined;
      }
      const isLate = name === 'updateJob' && isCancelAtOnce(name, args[1] as JobUpdate);
      if (isLate) return { fault: 'freezeBefore', forMs: world.random.magnitude(500, 25_000) };
      // Each job is handed back once, so that it is queued again with a history.
      const key = (first as { jobId?: unknown } | undefined)?.jobId;
      if (name !== 'appendPage' || failed.has(key)) return undefined;
      failed.add(key);
      return { fault: 'loseAnswer' };
    };
  },
  /** A pause is noted in the journal when it has been taken back. */
  latePause: (world) => (process, name, args) => {
    const [first] = args;
    if (process.role !== 'user') return undefined;
    if (name === 'createJob')
      haunt(world, (first as Job).jobId, ['pause', 'resume', 'pause', 'resume'], 5_000);
    const isPause =
      name === 'appendPage' &&
      (first as JournalPage).entries.some(({ type }) => type === 'pause.requested');
    return isPause && world.random.chance(0.7)
      ? { fault: 'freezeBefore', forMs: world.random.magnitude(1_000, 60_000) }
      : undefined;
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

const isFence = (name: string, [page]: readonly unknown[]): boolean =>
  name === 'appendPage' &&
  (page as JournalPage).entries.some(({ type }) => type === 'attempt.started');

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

/** Signals make jobs look that wait for sub-jobs: each once, since another look would heal what the first one missed. */
function wakeParents(world: World, woken = new Set<string>()): void {
  world.scheduler.in(world.random.between(100, 2_000), () => {
    if (world.isFair()) return;
    const waiting = world.jobs.find(
      (job) => job.status === 'waiting' && job.waitingFor === 'children' && !woken.has(job.jobId),
    );
    if (waiting !== undefined) {
      woken.add(waiting.jobId);
      world.users.command('signal', waiting, { fits: true });
    }
    wakeParents(world, woken);
  });
}

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
