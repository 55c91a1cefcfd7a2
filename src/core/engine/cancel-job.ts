import { type Duty, type FinalStatus, isBeforeStart, isFinal, type Job } from '../job/job.ts';
import type { CommandRequested, JournalEntry } from '../job/journal.ts';
import { cancelUnclaimed, requestCancel } from '../job/transitions.ts';
import { isAnnounced } from '../notify/announce.ts';
import type { EngineDeps } from './engine-deps.ts';
import { NO_TOTALS } from './journal-view.ts';
import { type EndedJob, recordUsage } from '../tenants/record-usage.ts';
import { jobFields } from '../trace/job-telemetry.ts';
import { sendHint } from './send-hint.ts';

export type CommandDeps = Pick<
  EngineDeps,
  'jobs' | 'queue' | 'events' | 'clock' | 'telemetry' | 'usage'
>;

/** How a command ended: `done` with the job as it then is, or refused by the status it met. */
export type CommandResult =
  | { readonly outcome: 'done'; readonly job: Job }
  | { readonly outcome: 'refused'; readonly job: Job };

/**
 * Cancels a job: at once when no worker has ever held it, else by asking its worker. Repeating it is harmless. The caller
 * does the duties of a job that is final afterwards.
 */
export async function cancelJob(deps: CommandDeps, found: Job): Promise<CommandResult> {
  for (let job = found; ;) {
    if (job.status === 'cancelled') return { outcome: 'done', job };
    if (isFinal(job.status)) return { outcome: 'refused', job };
    const now = deps.clock.now();
    const atOnce = job.epoch === 0 && (job.status === 'queued' || isBeforeStart(job));
    const update = atOnce
      ? cancelUnclaimed(dutiesOf(deps, job, 'cancelled'), NO_TOTALS, now)
      : requestCancel(job, now);
    const result = await deps.jobs.updateJob(job.jobId, update);
    if (result.applied) {
      const isRepeated = job.cancelRequestedAt !== undefined;
      if (atOnce) await recordUsage(deps, [cancelledUnclaimed(result.job)]);
      else await announce(deps, result.job, { type: 'cancel.requested', isRepeated });
      return { outcome: 'done', job: result.job };
    }
    if (result.job === undefined) return { outcome: 'refused', job };
    job = result.job;
  }
}

const cancelledUnclaimed = ({ tenantId }: Job): EndedJob => ({
  tenantId,
  status: 'cancelled',
  steps: 0,
});

/** What a job that ends owes. It is written with the final status, so that no crash can come between the two. */
export function dutiesOf(deps: Pick<EngineDeps, 'events'>, job: Job, status: FinalStatus): Duty[] {
  const duties: Duty[] = [];
  if (job.parentId !== undefined) duties.push('parent');
  if (isAnnounced(job, status)) duties.push('webhook');
  if (deps.events !== undefined) duties.push('event');
  return duties;
}

/**
 * Tells a worker of a command: by an entry in the journal, which its next append meets, and by its manifest, which its next
 * heartbeat reads; or by a hint when no worker holds the job.
 */
export async function announce(
  deps: CommandDeps,
  job: Job,
  {
    type,
    isRepeated = false,
  }: { type: 'cancel.requested' | 'pause.requested'; isRepeated?: boolean },
): Promise<void> {
  if (!isRepeated || !(await isNoted(deps, job, type))) await noteCommand(deps, job, type);
  if (job.status === 'running' && job.owner !== undefined) {
    await deps.jobs.callAttention(job.owner, job.jobId);
  } else if (type === 'cancel.requested') {
    await sendHint(deps, job, 'woken');
  }
}

const RECENT_PAGES = 10;

/** A command given again and again adds to the journal only what its first giver may not have added. */
async function isNoted(
  deps: CommandDeps,
  { jobId, generation }: Job,
  type: CommandRequested['type'],
): Promise<boolean> {
  const last = await deps.jobs.lastPage(jobId, generation);
  const afterSeq = Math.max(0, (last?.seq ?? 0) - RECENT_PAGES);
  const pages = await deps.jobs.readPages({ jobId, generation, afterSeq });
  return pages.some(({ entries }) => entries.some((entry) => entry.type === type));
}

/** Puts a command into the job's journal. */
export function noteCommand(
  deps: CommandDeps,
  job: Job,
  type: CommandRequested['type'],
): Promise<void> {
  return appendEntry(deps, job, { type, at: deps.clock.now(), attempt: job.epoch });
}

const APPEND_TRIES = 20;

/** Behind the newest page; whoever appends meanwhile is only one more to get behind. */
async function appendEntry(deps: CommandDeps, job: Job, entry: JournalEntry): Promise<void> {
  const { jobId, generation, expiresAtSeconds } = job;
  for (let tries = 0; tries < APPEND_TRIES; tries++) {
    const last = await deps.jobs.lastPage(jobId, generation);
    const newer = await deps.jobs.readPages({ jobId, generation, afterSeq: last?.seq ?? 0 });
    const behind = newer.at(-1) ?? last;
    const seq = (behind?.seq ?? 0) + 1;
    const totals = behind?.totals ?? NO_TOTALS;
    const page = { jobId, generation, seq, entries: [entry], totals, expiresAtSeconds };
    if ((await deps.jobs.appendPage(page)) === 'appended') return;
  }
  // The command stands in the job item: the worker meets it at its next heartbeat, suspend or continue.
  deps.telemetry.log('warn', 'the journal grew too fast to append a command', jobFields(job));
}
