import type { Cut, FinalStatus, Job, JobError, StoredError } from '../../../src/core/job/job.ts';
import type { JournalEntry, JournalPage } from '../../../src/core/job/journal.ts';
import type { StoredValue } from '../../../src/core/job/stored-value.ts';

/** Scope of what the clean-up after a cancel does. */
const CLEAN_UP = '[cancel]/';

/** What the journal decides of one id, by the rules of the protocol. */
export interface Decision {
  readonly path: string;
  readonly kind: 'value' | 'error' | 'sleep' | 'spawn';
  readonly value?: StoredValue;
  readonly error?: StoredError;
  readonly childId?: string;
  /** Try that brought the outcome. */
  readonly tryNumber?: number;
  /** When it takes effect, by the clock of the journal, which does not go back; a sleep, when it ends. */
  readonly at: number;
  /** Position among all entries. */
  readonly order: number;
  /** Number of the write that brought it. */
  readonly writtenAt: number;
}

export interface ChildEnd {
  readonly status: FinalStatus;
  readonly result?: StoredValue;
  readonly message: string;
  readonly code: string;
  readonly at: number;
  readonly order: number;
  readonly writtenAt: number;
}

/** The history of a job read by somebody who shares no code with the engine. */
export interface ReferenceView {
  decisions: Map<string, Decision>;
  readonly children: Map<string, ChildEnd>;
  readonly consumed: Map<string, string>;
  readonly logged: Map<string, number>;
  /** What must not be in a history. */
  readonly faults: string[];
  /** Why the current generation failed, if it did. */
  failedBy: JobError | undefined;
  order: number;
  clock: number;
}

export type NumberOf = (page: JournalPage) => number;

export function referenceFold(
  pages: readonly JournalPage[],
  upTo: { generation: number; cuts: readonly Cut[] },
  numberOf: NumberOf,
): ReferenceView {
  const view: ReferenceView = {
    decisions: new Map(),
    children: new Map(),
    consumed: new Map(),
    logged: new Map(),
    faults: [],
    failedBy: undefined,
    order: 0,
    clock: 0,
  };
  const sorted = [...pages].sort((a, b) => a.seq - b.seq);
  for (let generation = 1; generation <= upTo.generation; generation++) {
    const cut = upTo.cuts.find((candidate) => candidate.generation === generation);
    const isCut = cut !== undefined && generation < upTo.generation;
    view.failedBy = undefined;
    for (const page of sorted) {
      if (page.generation !== generation || (isCut && page.seq > cut.seq)) continue;
      for (const entry of page.entries) read(view, entry, numberOf(page));
    }
    if (isCut) keep(view, cut.keep);
  }
  return view;
}

function read(view: ReferenceView, entry: JournalEntry, writtenAt: number): void {
  const order = view.order++;
  view.clock = Math.max(view.clock, entry.at);
  const when = { at: view.clock, order, writtenAt };
  const decide = (decision: Omit<Decision, keyof typeof when>, at = when.at): void => {
    const { path } = decision;
    if (view.decisions.has(path)) view.faults.push(`${path} was decided twice`);
    else view.decisions.set(path, { ...decision, ...when, at });
  };
  switch (entry.type) {
    case 'step.succeeded':
      decide({ path: entry.stepId, kind: 'value', value: entry.outcome, tryNumber: entry.try });
      return;
    case 'step.failed':
      if (entry.retryAt === undefined)
        decide({ path: entry.stepId, kind: 'error', error: entry.error, tryNumber: entry.try });
      return;
    case 'signal.received':
      consume(view, entry);
      decide({ path: entry.stepId, kind: 'value', value: entry.body });
      return;
    case 'signal.rejected':
      consume(view, entry);
      return;
    case 'wait.timed_out':
      decide({
        path: entry.stepId,
        kind: 'error',
        error: { name: 'AppError', message: 'no signal came', code: 'signal_timeout' },
      });
      return;
    case 'sleep.started':
      decide({ path: entry.stepId, kind: 'sleep' }, entry.until);
      return;
    case 'child.spawned':
      decide({ path: entry.stepId, kind: 'spawn', childId: entry.childId });
      return;
    case 'child.finished':
      if (!view.children.has(entry.childId))
        view.children.set(entry.childId, { ...endOf(entry), ...when });
      return;
    case 'job.failed':
      view.failedBy ??= entry.error;
      return;
    case 'log.written':
      view.logged.set(entry.message, (view.logged.get(entry.message) ?? 0) + 1);
      return;
    default:
  }
}

function consume(
  view: ReferenceView,
  entry: Extract<JournalEntry, { type: 'signal.received' | 'signal.rejected' }>,
): void {
  const key = `${entry.name} ${entry.signalId}`;
  const before = view.consumed.get(key);
  if (before !== undefined)
    view.faults.push(`signal ${key} was consumed by ${before} and by ${entry.stepId}`);
  view.consumed.set(key, entry.stepId);
}

function endOf(
  entry: Extract<JournalEntry, { type: 'child.finished' }>,
): Pick<ChildEnd, 'status' | 'code' | 'message' | 'result'> {
  const { status, result, error } = entry;
  const code = error?.code ?? status;
  const message = error?.message ?? `the sub-job was ${status}`;
  return { status, code, message, ...(result === undefined ? {} : { result }) };
}

/** What a user's retry, or a fork, leaves of a view. */
export function keep(view: ReferenceView, rule: Cut['keep']): void {
  const limit = rule === 'succeeded' ? Infinity : view.decisions.get(rule.before)?.order;
  // From a step on, the agent tells its story anew.
  if (limit !== undefined && limit < Infinity) view.logged.clear();
  const isKept = (decision: Decision): boolean =>
    rule === 'succeeded'
      ? hasSucceeded(decision, view)
      : isOfPrefix(decision, view, limit ?? Infinity);
  const kept = [...view.decisions.values()].filter(
    (decision) => !decision.path.startsWith(CLEAN_UP) && isKept(decision),
  );
  view.decisions = new Map(kept.map((decision) => [decision.path, decision]));
  const children = new Set(kept.map(({ childId }) => childId));
  for (const childId of [...view.children.keys()]) {
    if (!children.has(childId)) view.children.delete(childId);
  }
}

function hasSucceeded({ kind, childId }: Decision, { children }: ReferenceView): boolean {
  if (kind !== 'spawn') return kind !== 'error';
  const end = children.get(childId ?? '');
  return end === undefined || end.status === 'succeeded';
}

/** All that was decided before, but not what the job failed by; a sub-job that failed later than that is needed anew. */
function isOfPrefix(decision: Decision, view: ReferenceView, limit: number): boolean {
  const { path, kind, childId, order } = decision;
  if (order >= limit || path === view.failedBy?.step) return false;
  const end = view.children.get(childId ?? '');
  if (kind !== 'spawn' || end === undefined || end.status === 'succeeded') return true;
  const isCulprit = view.failedBy?.message.startsWith(`sub-job ${childId ?? ''} `) ?? false;
  return end.order < limit && !isCulprit;
}

/** The view of a job as it now is. */
export function viewOf(job: Job, pages: readonly JournalPage[], numberOf: NumberOf): ReferenceView {
  return referenceFold(pages, { generation: job.generation, cuts: job.cuts ?? [] }, numberOf);
}
