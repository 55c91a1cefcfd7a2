import type { Job } from '../../../src/core/job/job.ts';
import type { World } from '../world/world.ts';
import {
  keep,
  type NumberOf,
  type ReferenceView,
  referenceFold,
  viewOf,
} from './reference-fold.ts';

/** A fork begins with what its origin had recorded before the step, and with nothing else. */
export function checkFork(world: World, job: Job, numberOf: NumberOf): void {
  const { ledger, storage, violate } = world;
  const fork = ledger.forks.get(job.jobId);
  if (fork === undefined) return;
  const origin = viewOf(fork.from, storage.pages.get(fork.from.jobId) ?? [], numberOf);
  keep(origin, { before: fork.fromStep });
  const copied = (storage.pages.get(job.jobId) ?? []).filter((page) => ledger.copies.has(page));
  const begun = referenceFold(copied, { generation: 1, cuts: [] }, () => 0);
  const expected = textOf(origin, (childId) => origin.children.has(childId));
  const actual = textOf(begun, () => true);
  if (expected.join() !== actual.join())
    violate(
      'I3',
      `${job.jobId}, a fork from ${fork.fromStep}, begins with ${actual.join()} and not with ${expected.join()}`,
    );
}

/** What is decided, outcomes included. A spawn counts only with the outcome of its child. */
function textOf(view: ReferenceView, isJoined: (childId: string) => boolean): string[] {
  return [...view.decisions.values()]
    .filter(({ childId }) => childId === undefined || isJoined(childId))
    .map(({ path, kind, value, error, childId }) => {
      const end = childId === undefined ? undefined : view.children.get(childId);
      return `${path} ${JSON.stringify([kind, value, error, end?.status, end?.result, end?.code])}`;
    })
    .sort();
}
