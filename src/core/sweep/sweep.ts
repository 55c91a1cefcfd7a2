import { type DutyDeps, performDuties } from '../engine/duties.ts';
import { hintOf } from '../engine/send-hint.ts';
import { isFinal, type Job } from '../job/job.ts';
import { rearm, reclaim } from '../job/transitions.ts';
import { hintAt } from '../notify/announce.ts';
import type { DeliveryName } from '../notify/delivery.ts';
import type { JobHint } from '../ports/job-queue.ts';
import type { DueItem } from '../ports/job-store.ts';
import { jobFields } from '../trace/job-telemetry.ts';
import { isOverdue } from './is-overdue.ts';
import { decideRehint } from './rehint-schedule.ts';

export type SweepDeps = DutyDeps;

/** What one look found, by kind. */
export interface SweepReport {
  readonly rehinted: number;
  readonly woken: number;
  readonly reclaimed: number;
  readonly duties: number;
  readonly deliveries: number;
}

type Find = keyof SweepReport | 'rearmed';

const FINDS_PER_SHARD = 200;
const CONCURRENCY = 16;
/** After the end of an invocation as its jobs know it, so that clocks may differ a little. */
const SKEW_MS = 5_000;
const RETRY_MS = 30_000;
/** How often a paused job is looked at, for nothing but its deadline. */
const PAUSED_MS = 3_600_000;

/**
 * One look at everything overdue, which is the only recovery there is: jobs whose hint was lost, jobs of dead invocations,
 * timers, open duties. Each find is re-armed first, then acted upon, so that two sweepers never act on the same one.
 */
export async function sweep(deps: SweepDeps): Promise<SweepReport> {
  const due = await deps.jobs.listDue(deps.clock.now(), FINDS_PER_SHARD);
  const tally = { rehinted: 0, woken: 0, reclaimed: 0, duties: 0, deliveries: 0, rearmed: 0 };
  const hasBacklog = oncePerLane(deps.queue);
  const queue = [...due];
  const handleNext = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      const find = await handle(deps, item, hasBacklog);
      if (find !== undefined) tally[find.kind] += find.count;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, handleNext));
  const { rearmed: _rearmed, ...report } = tally;
  deps.telemetry.count('Sweeps');
  for (const [kind, count] of Object.entries(report)) {
    if (count > 0) deps.telemetry.count('SweeperFinds', count, { kind });
  }
  return report;
}

type Handled = { readonly kind: Find; readonly count: number } | undefined;

/** One bad item must not keep the others waiting. */
async function handle(deps: SweepDeps, item: DueItem, hasBacklog: HasBacklog): Promise<Handled> {
  try {
    if (item.kind === 'slice') return await sweepSlice(deps, item.invocationId);
    if (item.kind === 'delivery') return await sweepDelivery(deps, item);
    const job = await deps.jobs.getJob(item.jobId);
    return job?.dueAt === undefined || job.dueAt > deps.clock.now()
      ? undefined
      : await sweepJob(deps, job, hasBacklog);
  } catch (error) {
    deps.telemetry.log('error', 'a due item could not be handled; the next sweep tries again', {
      ...item,
      error,
    });
    return undefined;
  }
}

/** Jobs of an invocation whose lease ran out go back to the queue, each to run alone. */
async function sweepSlice(deps: SweepDeps, invocationId: string): Promise<Handled> {
  const now = deps.clock.now();
  const manifest = await deps.jobs.getManifest(invocationId);
  if (manifest === undefined || manifest.leaseExpiresAt > now) return undefined;
  if (!(await deps.jobs.rearmManifest(manifest, now + RETRY_MS))) return undefined;
  const taken = await Promise.all(
    manifest.jobIds.map((jobId) => takeBack(deps, jobId, invocationId)),
  );
  await deps.jobs.deleteManifest(invocationId);
  const count = taken.filter(Boolean).length;
  deps.telemetry.log('warn', 'the lease of an invocation ran out', { invocationId, jobs: count });
  return { kind: 'reclaimed', count };
}

async function takeBack(deps: SweepDeps, jobId: string, owner: string): Promise<boolean> {
  const { applied, job } = await deps.jobs.updateJob(jobId, reclaim(owner, deps.clock.now()));
  if (!applied) return false;
  await hint(deps, job, 'crashed');
  return true;
}

async function sweepJob(deps: SweepDeps, job: Job, hasBacklog: HasBacklog): Promise<Handled> {
  const now = deps.clock.now();
  if (isOverdue(job, now)) deps.telemetry.count('OverdueJobs');
  if (isFinal(job.status)) {
    if (!(await moveDue(deps, job, now + RETRY_MS))) return undefined;
    await performDuties(deps, job);
    return { kind: 'duties', count: 1 };
  }
  if (job.paused === true && job.status !== 'running' && now < job.deadlineAt) {
    // It waits for its resume, or for its deadline.
    await moveDue(deps, job, Math.min(job.deadlineAt, now + PAUSED_MS));
    return { kind: 'rearmed', count: 1 };
  }
  switch (job.status) {
    case 'queued':
      return sweepQueued(deps, job, hasBacklog);
    case 'running':
      return sweepRunning(deps, job);
    default:
      if (!(await moveDue(deps, job, now + RETRY_MS))) return undefined;
      await hint(deps, job, 'woken');
      return { kind: 'woken', count: 1 };
  }
}

/** Accepted or handed back, but nobody has taken it: its message is lost, late, or waits its turn. */
async function sweepQueued(deps: SweepDeps, job: Job, hasBacklog: HasBacklog): Promise<Handled> {
  const now = deps.clock.now();
  // A job in isolation has a queue of its own.
  const backlog = job.crashes === 0 && (await hasBacklog(job.agent));
  const { nextInMs, send } = decideRehint(now - job.updatedAt, backlog);
  if (!(await moveDue(deps, job, now + nextInMs))) return undefined;
  if (!send) return { kind: 'rearmed', count: 1 };
  await hint(deps, job, 'overdue');
  return { kind: 'rehinted', count: 1 };
}

/** `dueAt` of a running job is kept lazily: up to the end of its invocation its manifest vouches for it. */
async function sweepRunning(deps: SweepDeps, job: Job): Promise<Handled> {
  const endsAt = (job.ownerUntil ?? 0) + SKEW_MS;
  if (deps.clock.now() < endsAt) {
    await moveDue(deps, job, endsAt);
    return { kind: 'rearmed', count: 1 };
  }
  const taken = job.owner !== undefined && (await takeBack(deps, job.jobId, job.owner));
  return { kind: 'reclaimed', count: taken ? 1 : 0 };
}

/** Its message is lost or late, its notifier died, or its next try was too far away for a message. */
async function sweepDelivery(deps: SweepDeps, name: DeliveryName): Promise<Handled> {
  const now = deps.clock.now();
  const delivery = await deps.jobs.getDelivery(name);
  if (delivery?.dueAt === undefined || delivery.dueAt > now) return undefined;
  const { nextInMs } = decideRehint(now - (delivery.nextTryAt ?? now), false);
  if (!(await deps.jobs.rearmDelivery(delivery, now + nextInMs))) return undefined;
  await hintAt(deps, [delivery]);
  return { kind: 'deliveries', count: 1 };
}

async function moveDue(deps: SweepDeps, job: Job, dueAt: number): Promise<boolean> {
  return (await deps.jobs.updateJob(job.jobId, rearm(job, dueAt))).applied;
}

async function hint(deps: SweepDeps, job: Job, reason: JobHint['reason']): Promise<void> {
  deps.telemetry.log('info', 'an overdue job is driven on', {
    ...jobFields(job),
    reason,
    status: job.status,
  });
  await deps.queue.send(hintOf(job, reason), { isolated: job.crashes > 0 });
}

/** Whether messages lie ready in the jobs queue of the agent's lane. */
type HasBacklog = (agent: string) => Promise<boolean>;

/** Asked once in a look for each lane that has something overdue. */
function oncePerLane(queue: SweepDeps['queue']): HasBacklog {
  const answers = new Map<string, Promise<boolean>>();
  return (agent) => {
    const lane = queue.laneOf(agent);
    const answer = answers.get(lane) ?? queue.backlog(lane).then((count) => count > 0);
    answers.set(lane, answer);
    return answer;
  };
}
