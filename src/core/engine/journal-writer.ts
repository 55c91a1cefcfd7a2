import type { Progress } from '../job/job.ts';
import type { JournalEntry, JournalPage } from '../job/journal.ts';
import { LIMITS } from '../policy/limits.ts';
import type { Clock } from '../ports/clock.ts';
import type { JobStore } from '../ports/job-store.ts';
import { sizeBytes } from './json-value.ts';
import { addToTotals, applyPage, type JournalView, withProgress } from './journal-view.ts';

interface PendingEntry {
  readonly entry: JournalEntry;
  readonly bytes: number;
  readonly stored: () => void;
}

export interface JournalTarget {
  readonly jobId: string;
  readonly generation: number;
  readonly attempt: number;
  /** Noted with the first entry. */
  readonly agentVersion: string;
  readonly expiresAtSeconds: number;
}

export interface JournalHooks {
  /** After a refused append: whether this worker still holds the job. */
  readonly stillMine: () => Promise<boolean>;
  /** The lease is gone; nothing more is written and no pending append settles. */
  readonly onLost: () => void;
  /** The store failed; likewise. */
  readonly onFault: (error: unknown) => void;
  readonly onConflict: () => void;
  /** Whether the agent is just being handed what was settled: what it then makes ready shares the page. */
  readonly isReleasing: () => boolean;
  /** After each page of this writer. */
  readonly onPage: (page: JournalPage) => void;
}

/**
 * Extends the journal of one job: one append in flight, and whatever becomes ready meanwhile shares the next page (group
 * commit). An entry is released to the agent only after its page is stored.
 */
export class JournalWriter {
  readonly #view: JournalView;
  readonly #target: JournalTarget;
  readonly #deps: { readonly jobs: JobStore; readonly clock: Clock };
  readonly #hooks: JournalHooks;
  #pending: PendingEntry[] = [];
  #progress: { value: Progress; reports: number } | undefined;
  #stopProgressTimer = (): void => undefined;
  #isFirstPage = true;
  /** Earliest entry of the page on its way; Infinity when there is none. */
  #inFlightAt = Infinity;
  #scheduled = false;
  #closed = false;
  #idle: ((stored: boolean) => void)[] = [];

  constructor(
    deps: { readonly jobs: JobStore; readonly clock: Clock },
    target: JournalTarget,
    view: JournalView,
    hooks: JournalHooks,
  ) {
    this.#deps = deps;
    this.#target = target;
    this.#view = view;
    this.#hooks = hooks;
  }

  /** Settles once the entry is stored, or another one took its place; never when the job is lost. */
  append(entry: JournalEntry): Promise<void> {
    return new Promise((resolve) => {
      this.#pending.push({ entry, bytes: sizeBytes(JSON.stringify(entry)), stored: resolve });
      this.#schedule();
    });
  }

  /** Progress rides with the next page; alone it waits a second for one. */
  report(value: Progress, reports: number): void {
    if (this.#progress === undefined) {
      this.#stopProgressTimer = this.#deps.clock.setTimer(LIMITS.progressFlushMs, () => {
        this.#schedule();
      });
    }
    this.#progress = { value: { ...this.#progress?.value, ...value }, reports };
  }

  /** Takes what was reported since the last page, for the final write. */
  takeProgress(): { value: Progress; reports: number } | undefined {
    const taken = this.#progress;
    this.#progress = undefined;
    this.#stopProgressTimer();
    return taken;
  }

  /** Stores what is pending, progress included, as `drained` does for the rest. */
  flush(): Promise<boolean> {
    if (this.#progress !== undefined) this.#schedule();
    return this.drained();
  }

  /** Settles when nothing is pending or in flight: true if all of it is stored, false if the job is lost or the store failed. */
  drained(): Promise<boolean> {
    if (this.#closed || !this.#scheduled) return Promise.resolve(!this.#closed);
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Writes nothing more. */
  close(): void {
    this.#closed = true;
    for (const resolve of this.#idle.splice(0)) resolve(false);
  }

  #schedule(): void {
    if (this.#scheduled || this.#closed) return;
    this.#scheduled = true;
    this.#begin();
  }

  /** What becomes ready in this turn shares the page. */
  #begin(): void {
    this.#deps.clock.afterTurn(() => {
      if (this.#hooks.isReleasing()) {
        this.#begin();
        return;
      }
      this.#drain().catch((error: unknown) => {
        this.close();
        this.#hooks.onFault(error);
      });
    });
  }

  /** Settles when every entry of that time or before is stored. */
  async settledUntil(at: number): Promise<void> {
    while (this.#pending.some(({ entry }) => entry.at <= at) || this.#inFlightAt <= at) {
      if (!(await this.drained())) return;
    }
  }

  async #drain(): Promise<void> {
    while (!this.#closed && (this.#pending.length > 0 || this.#progress !== undefined)) {
      await this.#writePage();
    }
    this.#scheduled = false;
    if (this.#closed) return;
    for (const resolve of this.#idle.splice(0)) resolve(true);
  }

  async #writePage(): Promise<void> {
    const batch = this.#takeBatch();
    const page = this.#pageOf(batch);
    this.#inFlightAt = Math.min(...page.entries.map(({ at }) => at));
    const answer = await this.#deps.jobs.appendPage(page);
    this.#inFlightAt = Infinity;
    if (this.#isClosed()) return;
    if (answer === 'appended') {
      this.#isFirstPage = false;
      applyPage(this.#view, page);
      this.#hooks.onPage(page);
      for (const { stored } of batch) stored();
      return;
    }
    this.#restoreProgress(page);
    await this.#adopt(batch);
  }

  /** Somebody else extended the history: take it over if the job is still mine, then try again behind it. */
  async #adopt(batch: readonly PendingEntry[]): Promise<void> {
    this.#hooks.onConflict();
    const { jobId, generation } = this.#target;
    const pages = await this.#deps.jobs.readPages({
      jobId,
      generation,
      afterSeq: this.#view.lastSeq,
    });
    const mine = await this.#hooks.stillMine();
    if (this.#isClosed()) return;
    if (!mine) {
      this.close();
      this.#hooks.onLost();
      return;
    }
    for (const page of pages) applyPage(this.#view, page);
    const stillOpen = batch.filter((pending) => !this.#isSuperseded(pending.entry));
    for (const pending of batch) if (!stillOpen.includes(pending)) pending.stored();
    this.#pending = [...stillOpen, ...this.#pending];
  }

  /** A step has one outcome: the one that is in the history first. */
  #isSuperseded(entry: JournalEntry): boolean {
    if (entry.type !== 'step.succeeded' && entry.type !== 'step.failed') return false;
    const record = this.#view.steps.get(entry.stepId);
    return record?.outcome !== undefined || (record?.failedTries ?? 0) >= entry.try;
  }

  #takeBatch(): PendingEntry[] {
    let bytes = 0;
    let count = 0;
    for (const pending of this.#pending) {
      bytes += pending.bytes;
      if (count > 0 && bytes > LIMITS.pageBytes) break;
      count++;
    }
    return this.#pending.splice(0, count);
  }

  #pageOf(batch: readonly PendingEntry[]): JournalPage {
    const entries = batch.map(({ entry }) => entry);
    const bytes = batch.reduce((sum, pending) => sum + pending.bytes, 0);
    const progress = this.takeProgress();
    let totals = addToTotals(this.#view.totals, entries, bytes);
    if (progress !== undefined) {
      totals = withProgress(totals, progress);
      const { attempt } = this.#target;
      const at = this.#deps.clock.now();
      entries.push({ type: 'progress.reported', at, attempt, ...totals.progress });
    }
    this.#noteVersion(entries);
    const { jobId, generation, expiresAtSeconds } = this.#target;
    return { jobId, generation, seq: this.#view.lastSeq + 1, entries, totals, expiresAtSeconds };
  }

  /** Also on a page that another one takes the place of: it is told again then. */
  #noteVersion(entries: JournalEntry[]): void {
    const [first] = entries;
    const { agentVersion } = this.#target;
    if (this.#isFirstPage && first !== undefined) entries[0] = { ...first, agentVersion };
  }

  #restoreProgress(page: JournalPage): void {
    if (page.totals.progressReports === this.#view.totals.progressReports) return;
    this.#progress = {
      value: { ...page.totals.progress, ...this.#progress?.value },
      reports: Math.max(page.totals.progressReports, this.#progress?.reports ?? 0),
    };
  }

  // A getter, since TypeScript would narrow the field across an await.
  #isClosed(): boolean {
    return this.#closed;
  }
}
