import type { ChildOutcome } from '../job/child-outcome.ts';
import type { Job } from '../job/job.ts';
import { isCommand, type JournalEntry } from '../job/journal.ts';
import type { ReceivedSignal } from '../job/signal.ts';
import type { EngineDeps, Invocation } from './engine-deps.ts';
import { applyPage, emptyView, foldJournal, type JournalView } from './journal-view.ts';

/** A job as its holder sees it after the claim; undefined means it is not held any more. */
export interface LoadedJob {
  readonly job: Job;
  readonly view: JournalView;
  readonly inputJson: string;
  readonly signals: readonly ReceivedSignal[];
  readonly children: readonly ChildOutcome[];
}

/** A held job as it was last seen. */
export interface Look {
  readonly job: Job;
  /** Whether the claim is all that this invocation has seen of it. */
  readonly isFirstLook: boolean;
}

/** Reads what a job needs to go on. A job that has just been claimed for the first time has no history to be read. */
export async function loadJob(
  deps: EngineDeps,
  invocation: Invocation,
  { job: claimed, isFirstLook }: Look,
): Promise<LoadedJob | undefined> {
  if (isFirstLook && claimed.epoch === 1 && claimed.wakeups === 0) {
    const inputJson = await fetchInput(deps, claimed);
    return { job: claimed, view: emptyView(), inputJson, signals: [], children: [] };
  }
  const history = await deps.jobs.loadHistory(claimed.jobId);
  const { job } = history;
  if (job === undefined || !isHeld(job, claimed, invocation)) return undefined;
  const inputJson = job.input.kind === 'item' ? history.inputJson : undefined;
  return {
    // What was claimed decides how many wake-ups have been seen: a later one must refuse the suspend.
    job: { ...job, wakeups: claimed.wakeups },
    view: foldJournal(history.pages, job),
    inputJson: inputJson ?? (await fetchInput(deps, job)),
    signals: history.signals,
    children: history.children,
  };
}

const TAIL_PAGES = 10;

/**
 * The end of the journal alone, for a job whose attempts are used up: reading all of it may be what kills its workers. Users
 * may have put their commands behind what its last attempt wrote, so it goes back to where an attempt has written.
 */
export async function loadTail(deps: EngineDeps, job: Job): Promise<JournalView> {
  const { jobId, generation } = job;
  const last = await deps.jobs.lastPage(jobId, generation);
  for (let afterSeq = last?.seq ?? 0; ;) {
    afterSeq = Math.max(0, afterSeq - TAIL_PAGES);
    const pages = await deps.jobs.readPages({ jobId, generation, afterSeq });
    if (afterSeq > 0 && pages.every(({ entries }) => entries.every(isCommand))) continue;
    const view = emptyView();
    for (const page of pages) applyPage(view, page);
    return view;
  }
}

/**
 * After a crash: a page that fences off the attempt before. Any append of that attempt now meets a conflict.
 * False when somebody else's page was there first; then the journal must be read again.
 */
export async function fence(
  deps: EngineDeps,
  loaded: LoadedJob,
  agentVersion: string | undefined,
): Promise<boolean> {
  const { job, view } = loaded;
  const now = deps.clock.now();
  const entry: JournalEntry = {
    type: 'attempt.started',
    at: now,
    attempt: job.epoch,
    crashes: job.crashes,
    ...(agentVersion === undefined ? {} : { agentVersion }),
  };
  const page = {
    jobId: job.jobId,
    generation: job.generation,
    seq: view.lastSeq + 1,
    entries: [entry],
    totals: view.totals,
    expiresAtSeconds: job.expiresAtSeconds,
  };
  if ((await deps.jobs.appendPage(page)) === 'conflict') return false;
  const lastSign = Math.max(view.lastAt, job.startedAt ?? job.createdAt);
  deps.telemetry.measure('ResumeMs', Math.max(0, now - lastSign), { agent: job.agent });
  applyPage(view, page);
  return true;
}

/** Whether the job item still names this claim. */
export function isHeld(job: Job, claimed: Job, invocation: Invocation): boolean {
  return job.status === 'running' && job.epoch === claimed.epoch && job.owner === invocation.id;
}

async function fetchInput(deps: EngineDeps, job: Job): Promise<string> {
  switch (job.input.kind) {
    case 'inline':
      return job.input.json;
    case 's3':
      return deps.payloads.get(job.input);
    case 'item': {
      const json = await deps.jobs.getInput(job);
      if (json === undefined) throw new Error(`the input item of job ${job.jobId} is missing`);
      return json;
    }
  }
}
