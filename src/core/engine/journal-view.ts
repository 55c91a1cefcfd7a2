import type { Cut, Job, Progress, StoredError, Totals } from '../job/job.ts';
import type {
  ChildFinished,
  ChildSpawned,
  JobCancelled,
  JobFailed,
  JournalEntry,
  JournalPage,
} from '../job/journal.ts';
import type { StoredValue } from '../job/stored-value.ts';
import { keptBy, positionOf } from './kept-by-cut.ts';
import type { Moment } from './release-order.ts';

/** The recorded outcome of a step, a wait or a spawn. */
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
  /** The wait has begun; `until` is its end when it has one. */
  wait?: { readonly until?: number };
  spawned?: ChildSpawned;
  outcome?: StepOutcome;
  /** Position among all that was recorded, and when that was. */
  order?: number;
  decidedAt?: number;
}

/** The journal as the engine uses it: what counts of all generations, folded in order. */
export interface JournalView {
  /** In the order in which their first entries were recorded. */
  steps: Map<string, StepRecord>;
  /** Outcomes of sub-jobs that the job has taken note of, by child id. */
  children: Map<string, ChildFinished & Moment>;
  /** Signals that no wait gets any more, as `name` and `signalId` joined by a line feed. */
  consumedSignals: Set<string>;
  /** Count of what has been recorded, for `order`. */
  recorded: number;
  /** Latest time of an entry; clocks of workers differ, the journal does not go back. */
  clockAt: number;
  /** How often each message was logged: a replay skips as many calls. */
  logged: Map<string, number>;
  totals: Totals;
  /** Steps of `totals` that an earlier generation recorded. */
  keptSteps: number;
  /** Last page of the current generation; 0 when there is none. */
  lastSeq: number;
  /** When its last entry was recorded; 0 when there is none. */
  lastAt: number;
  /** Whether an attempt has recorded work and no later one has begun after a crash. */
  endsInWork: boolean;
  /** Final entry of the current generation. */
  ended?: JobFailed | JobCancelled;
  /** Step that was started last and has no outcome: known only after a crash. */
  startedStep?: string;
}

export const NO_TOTALS: Totals = { progressReports: 0, stepsSucceeded: 0, stepsFailed: 0 };

export function emptyView(): JournalView {
  return {
    steps: new Map(),
    children: new Map(),
    consumedSignals: new Set(),
    recorded: 0,
    clockAt: 0,
    logged: new Map(),
    totals: NO_TOTALS,
    keptSteps: 0,
    lastSeq: 0,
    lastAt: 0,
    endsInWork: false,
  };
}

/** The view of a job: each generation's cut applied to what came before it, then the pages of the current one. */
export function foldJournal(
  pages: readonly JournalPage[],
  job: Pick<Job, 'generation' | 'cuts'>,
): JournalView {
  let view = emptyView();
  for (let generation = 1; generation <= job.generation; generation++) {
    for (const page of pages) {
      if (page.generation === generation && counts(page, job)) applyPage(view, page);
    }
    const cut = cutOf(job, generation);
    if (cut !== undefined) view = applyCut(view, cut);
  }
  return view;
}

/** Whether a page is part of the history: what comes behind the cut of its generation is not. */
export function counts({ generation, seq }: JournalPage, job: Pick<Job, 'cuts'>): boolean {
  const cut = cutOf(job, generation);
  return cut === undefined || seq <= cut.seq;
}

function cutOf({ cuts }: Pick<Job, 'cuts'>, generation: number): Cut | undefined {
  return cuts?.find((candidate) => candidate.generation === generation);
}

export function applyPage(view: JournalView, page: JournalPage): void {
  for (const entry of page.entries) applyEntry(view, entry);
  view.totals = page.totals;
  view.lastSeq = page.seq;
  view.lastAt = page.entries.at(-1)?.at ?? view.lastAt;
  for (const { type } of page.entries) {
    if (type === 'attempt.started') view.endsInWork = false;
    else if (!NO_WORK.has(type)) view.endsInWork = true;
  }
}

/** Entries that say nothing of how far the job has come. */
const NO_WORK: ReadonlySet<JournalEntry['type']> = new Set<JournalEntry['type']>([
  'step.started',
  'cancel.requested',
  'pause.requested',
  'job.resumed',
  'job.restarted',
  'job.failed',
  'job.cancelled',
]);

/** Totals after these entries, which are so many bytes of JSON. */
export function addToTotals(
  totals: Totals,
  entries: readonly JournalEntry[],
  bytes: number,
): Totals {
  let { stepsSucceeded, stepsFailed } = totals;
  for (const entry of entries) {
    if (entry.type === 'step.succeeded') stepsSucceeded++;
    if (entry.type === 'step.failed' && entry.retryAt === undefined) stepsFailed++;
  }
  const journalBytes = (totals.journalBytes ?? 0) + bytes;
  return { ...totals, stepsSucceeded, stepsFailed, journalBytes };
}

/** Totals with what was reported since the last page. */
export function withProgress(
  totals: Totals,
  taken: { value: Progress; reports: number } | undefined,
): Totals {
  if (taken === undefined) return totals;
  return {
    ...totals,
    progress: { ...totals.progress, ...taken.value },
    progressReports: taken.reports,
  };
}

/** What an entry decides for ever gets its place in the order of things. */
function decided(view: JournalView, stepId: string): StepRecord {
  const record = recordOf(view, stepId);
  record.order ??= view.recorded;
  record.decidedAt ??= view.clockAt;
  return record;
}

export function recordOf(view: JournalView, stepId: string): StepRecord {
  let record = view.steps.get(stepId);
  if (record === undefined) {
    record = { failedTries: 0, retryAt: 0 };
    view.steps.set(stepId, record);
  }
  return record;
}

/** Whether a sub-job was spawned whose end the job has not taken note of. */
export function hasOpenChildren(view: JournalView): boolean {
  for (const { spawned } of view.steps.values()) {
    if (spawned !== undefined && !view.children.has(spawned.childId)) return true;
  }
  return false;
}

/** When and where in the journal a step was decided. */
export function momentOf({ decidedAt = 0, order = 0 }: StepRecord): Moment {
  return { at: decidedAt, order };
}

export function signalKey(signal: { readonly name: string; readonly signalId: string }): string {
  return `${signal.name}\n${signal.signalId}`;
}

type Apply<Type extends JournalEntry['type']> = (
  view: JournalView,
  entry: Extract<JournalEntry, { type: Type }>,
) => void;

/** What each entry changes. The first outcome of a step counts, for ever (I2). */
const APPLY: { readonly [Type in JournalEntry['type']]: Apply<Type> } = {
  'attempt.started': ignore,
  'step.started': (view, entry) => {
    view.startedStep = entry.stepId;
  },
  'step.succeeded': (view, entry) => {
    decided(view, entry.stepId).outcome ??= { kind: 'succeeded', value: entry.outcome };
    if (view.startedStep === entry.stepId) delete view.startedStep;
  },
  'step.failed': (view, entry) => {
    applyFailure(view, entry);
    if (view.startedStep === entry.stepId) delete view.startedStep;
  },
  'sleep.started': (view, entry) => {
    decided(view, entry.stepId).sleepUntil ??= entry.until;
  },
  'wait.started': (view, { stepId, until }) => {
    recordOf(view, stepId).wait ??= until === undefined ? {} : { until };
  },
  'signal.received': (view, entry) => {
    view.consumedSignals.add(signalKey(entry));
    const record = decided(view, entry.stepId);
    // A fork has the end of a wait, not its beginning.
    record.wait ??= {};
    record.outcome ??= { kind: 'succeeded', value: entry.body };
  },
  'signal.rejected': (view, entry) => {
    view.consumedSignals.add(signalKey(entry));
  },
  'wait.timed_out': (view, { stepId, name, attempt }) => {
    const message = `no signal ${JSON.stringify(name)} came before the end of the wait`;
    const error = { name: 'AppError', message, code: 'signal_timeout' };
    const record = decided(view, stepId);
    record.wait ??= {};
    record.outcome ??= { kind: 'failed', error, tries: 1, attempt };
  },
  'child.spawned': (view, entry) => {
    decided(view, entry.stepId).spawned ??= entry;
  },
  'child.finished': (view, entry) => {
    if (view.children.has(entry.childId)) return;
    view.children.set(entry.childId, { ...entry, at: view.clockAt, order: view.recorded });
  },
  'cancel.requested': ignore,
  'pause.requested': ignore,
  'job.resumed': ignore,
  'job.restarted': ignore,
  'progress.reported': ignore,
  'log.written': (view, { message, stepId }) => {
    if (stepId !== undefined) return;
    view.logged.set(message, (view.logged.get(message) ?? 0) + 1);
  },
  'job.failed': (view, entry) => {
    view.ended ??= entry;
  },
  'job.cancelled': (view, entry) => {
    view.ended ??= entry;
  },
};

function ignore(): void {
  // Read by people, or by whoever fences; it changes no outcome.
}

function applyEntry(view: JournalView, entry: JournalEntry): void {
  view.recorded++;
  view.clockAt = Math.max(view.clockAt, entry.at);
  // An entry of a later version is skipped, so that a rollback can read what the deploy before it wrote.
  const apply = APPLY[entry.type] as Apply<JournalEntry['type']> | undefined;
  apply?.(view, entry);
}

function applyFailure(
  view: JournalView,
  entry: Extract<JournalEntry, { type: 'step.failed' }>,
): void {
  const record = recordOf(view, entry.stepId);
  if (record.outcome !== undefined) return;
  record.failedTries = Math.max(record.failedTries, entry.try);
  if (entry.retryAt !== undefined) {
    record.retryAt = entry.retryAt;
    return;
  }
  decided(view, entry.stepId).outcome = {
    kind: 'failed',
    error: entry.error,
    tries: entry.try,
    attempt: entry.attempt,
  };
}

/** What a user retry, or a fork, leaves of a view. */
function applyCut(view: JournalView, cut: Cut): JournalView {
  const kept = emptyView();
  const isKept = keptBy(cut, view);
  const isWhole = cut.keep === 'succeeded' || positionOf(cut.keep.before, view) === Infinity;
  // From a step on the agent reports and logs anew; else a replay skips what it has said.
  if (isWhole) kept.logged = view.logged;
  kept.consumedSignals = view.consumedSignals;
  kept.recorded = view.recorded;
  kept.clockAt = view.clockAt;
  const steps = { succeeded: 0, failed: 0 };
  for (const [stepId, record] of view.steps) {
    if (!isKept(stepId, record)) continue;
    kept.steps.set(stepId, record);
    if (record.outcome !== undefined && record.wait === undefined) steps[record.outcome.kind]++;
    const child = record.spawned && view.children.get(record.spawned.childId);
    if (child !== undefined) kept.children.set(child.childId, child);
  }
  const { progress: _progress, ...others } = view.totals;
  const totals = isWhole ? view.totals : { ...others, progressReports: 0 };
  kept.totals = { ...totals, stepsSucceeded: steps.succeeded, stepsFailed: steps.failed };
  kept.keptSteps = steps.succeeded;
  return kept;
}
