import type { DeadLetterEntry, DeadLetterPosition } from '../../core/job/dead-letter-entry.ts';
import type { JobStore } from '../../core/ports/job-store.ts';
import { compareText } from './compare-text.ts';

/** Dead letters by tenant. One that was removed stays outside of the list. */
export class DeadLetterEntries {
  readonly #entries = new Map<string, DeadLetterEntry & { readonly isListed: boolean }>();

  put(entry: DeadLetterEntry): void {
    const there = this.#entries.get(entry.jobId);
    if (there !== undefined && there.generation >= entry.generation) return;
    this.#entries.set(entry.jobId, { ...entry, isListed: true });
  }

  remove(jobId: string, before: number): void {
    const entry = this.#entries.get(jobId);
    if (entry === undefined || entry.generation >= before) return;
    this.#entries.set(jobId, { ...entry, isListed: false });
  }

  list({ tenantId, limit, after }: Parameters<JobStore['listDeadLetters']>[0]) {
    const behind = [...this.#entries.values()]
      .filter((entry) => entry.isListed && entry.tenantId === tenantId)
      .filter((entry) => after === undefined || newestFirst(after, entry) < 0)
      .sort(newestFirst);
    const entries = behind.slice(0, limit).map(({ jobId, failedAt }) => ({ jobId, failedAt }));
    return { entries, hasMore: behind.length > limit };
  }
}

function newestFirst(a: DeadLetterPosition, b: DeadLetterPosition): number {
  return b.failedAt - a.failedAt || compareText(b.jobId, a.jobId);
}
