import type { Cut, StoredError } from '../job/job.ts';
import { isOfCleanUp } from './clean-up.ts';
import type { JournalView, StepRecord } from './journal-view.ts';

/** Whether the record of a step id is kept. */
export type Keeps = (stepId: string, record: StepRecord) => boolean;

/**
 * What a cut keeps of what was decided (ADR 29). A retry without a step keeps what succeeded: all that failed is tried again.
 * From a step on, as in a fork, the history before that step is kept as it was, with failures and waits that timed out, since the
 * agent has taken its way by them. Only what the job failed by is not, or it would fail by it again at once.
 *
 * A clean-up is never kept: the next cancel has more to clean up.
 */
export function keptBy({ keep }: Cut, view: JournalView): Keeps {
  const isKept =
    keep === 'succeeded' ? succeededIn(view) : decidedBefore(view, positionOf(keep.before, view));
  return (stepId, record) => !isOfCleanUp(stepId) && isKept(stepId, record);
}

/** Place of a step's outcome in the journal; behind everything while it has none. */
export function positionOf(stepId: string, view: JournalView): number {
  return view.steps.get(stepId)?.order ?? Infinity;
}

/** A spawn counts as long as its sub-job has not failed: one that has is spawned anew. */
function succeededIn(view: JournalView): Keeps {
  return (_stepId, { outcome, sleepUntil, spawned }) => {
    if (spawned === undefined) return outcome?.kind === 'succeeded' || sleepUntil !== undefined;
    const child = view.children.get(spawned.childId);
    return child === undefined || child.status === 'succeeded';
  };
}

/** A spawn, too, unless its sub-job failed later: then there is nothing to wait for, and it is spawned anew. */
function decidedBefore(view: JournalView, position: number): Keeps {
  const culprits = whatItFailedBy(view);
  return (stepId, { order, spawned }) => {
    if (order === undefined || order >= position || culprits.has(stepId)) return false;
    const child = spawned && view.children.get(spawned.childId);
    if (child === undefined || child.status === 'succeeded') return true;
    return child.order < position && !culprits.has(child.childId);
  };
}

/** Ids of the step and of the sub-jobs whose failure came out of `run`. */
function whatItFailedBy({ ended }: JournalView): ReadonlySet<string> {
  const ids = new Set<string>();
  if (ended?.type !== 'job.failed') return ids;
  if (ended.error.step !== undefined) ids.add(ended.error.step);
  let cause: StoredError | undefined = ended.error.cause;
  for (; cause !== undefined; cause = cause.cause) {
    const jobId = cause.details?.jobId;
    if (cause.code === 'child_failed' && typeof jobId === 'string') ids.add(jobId);
  }
  return ids;
}
