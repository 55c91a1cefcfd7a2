import type { Cut, Job, StoredError, Totals } from '../job/job.ts';
import type { JobCancelled, JobFailed, JournalEntry, JournalPage } from '../job/journal.ts';
import type { StoredValue } from '../job/stored-value.ts';

/** The recorded outcome of a step. */
export type StepOutcome =
  | { readonly kind: 'succeeded'; readonly value: StoredValue }
  | {
      readonly kind: 'failed';
      readonly error: StoredError;
      readonly tries: number;
      readonly attempt: number;
    };

/** What the journal says of one step id. */
export interface StepRecord {
  failedTries: number;
  /** Earliest start of the next try. */
  retryAt: number;
  sleepUntil?: number;
  outcome?: StepOutcome;
}

/** The journal as the engine uses it: what counts of all generations, folded in order. */
export interface JournalView {
  /** In the order in which the steps were first mentioned. */
  steps: Map<string, StepRecord>;
  /** How often each message was logged: a replay skips as many calls. */
  logged: Map<string, number>;
  totals: Totals;
  /** Last page of the current generation; 0 when there is none. */
  lastSeq: number;
  /** Final entry of the current generation. */
  ended?: JobFailed | JobCancelled;
  /** Step that was started last and has no outcome: known only after a crash. */
  startedStep?: string;
}

export const NO_TOTALS: Totals = { progressReports: 0, stepsSucceeded: 0, stepsFailed: 0 };

export function emptyView(): JournalView {
  return { steps: new Map(), logged: new Map(), totals: NO_TOTALS, lastSeq: 0 };
}

/** The view of a job: each generation's cut applied to what came before it, then the pages of the current one. */
export function foldJournal(
  pages: readonly JournalPage[],
  job: Pick<Job, 'generation' | 'cuts'>,
): JournalView {
  let view = emptyView();
  for (let generation = 1; generation <= job.generation; generation++) {
    const cut = job.cuts?.find((candidate) => candidate.generation === generation);
    for (const page of pages) {
      const counts = page.generation === generation && (cut === undefined || page.seq <= cut.seq);
      if (counts) applyPage(view, page);
    }
    if (cut !== undefined) view = applyCut(view, cut);
  }
  return view;
}

export function applyPage(view: JournalView, page: JournalPage): void {
  for (const entry of page.entries) applyEntry(view, entry);
  view.totals = page.totals;
  view.lastSeq = page.seq;
}

/** Totals after these entries. */
export function addToTotals(totals: Totals, entries: readonly JournalEntry[]): Totals {
  let { stepsSucceeded, stepsFailed } = totals;
  for (const entry of entries) {
    if (entry.type === 'step.succeeded') stepsSucceeded++;
    if (entry.type === 'step.failed' && entry.retryAt === undefined) stepsFailed++;
  }
  return { ...totals, stepsSucceeded, stepsFailed };
}

export function recordOf(view: JournalView, stepId: string): StepRecord {
  let record = view.steps.get(stepId);
  if (record === undefined) {
    record = { failedTries: 0, retryAt: 0 };
    view.steps.set(stepId, record);
  }
  return record;
}

function applyEntry(view: JournalView, entry: JournalEntry): void {
  switch (entry.type) {
    case 'step.started':
      view.startedStep = entry.stepId;
      return;
    case 'step.succeeded': {
      // The first outcome counts, for ever (I2).
      recordOf(view, entry.stepId).outcome ??= { kind: 'succeeded', value: entry.outcome };
      if (view.startedStep === entry.stepId) delete view.startedStep;
      return;
    }
    case 'step.failed':
      applyFailure(recordOf(view, entry.stepId), entry);
      if (view.startedStep === entry.stepId) delete view.startedStep;
      return;
    case 'sleep.started':
      recordOf(view, entry.stepId).sleepUntil ??= entry.until;
      return;
    case 'log.written':
      view.logged.set(entry.message, (view.logged.get(entry.message) ?? 0) + 1);
      return;
    case 'job.failed':
    case 'job.cancelled':
      view.ended ??= entry;
      return;
    case 'attempt.started':
    case 'progress.reported':
      return;
  }
}

function applyFailure(
  record: StepRecord,
  entry: Extract<JournalEntry, { type: 'step.failed' }>,
): void {
  if (record.outcome !== undefined) return;
  record.failedTries = Math.max(record.failedTries, entry.try);
  if (entry.retryAt !== undefined) {
    record.retryAt = entry.retryAt;
    return;
  }
  record.outcome = { kind: 'failed', error: entry.error, tries: entry.try, attempt: entry.attempt };
}

/** A user retry keeps what succeeded, or what was recorded before the outcome of one step. */
function applyCut(view: JournalView, cut: Cut): JournalView {
  const kept = emptyView();
  kept.logged = view.logged;
  let stepsSucceeded = 0;
  for (const [stepId, record] of view.steps) {
    if (typeof cut.keep === 'object' && stepId === cut.keep.before) break;
    if (record.outcome?.kind === 'succeeded' || record.sleepUntil !== undefined) {
      kept.steps.set(stepId, record);
      if (record.outcome !== undefined) stepsSucceeded++;
    }
  }
  kept.totals = { ...view.totals, stepsSucceeded, stepsFailed: 0 };
  return kept;
}
