import { checkItemSize } from '../../core/job/item-limit.ts';
import type { JournalPage } from '../../core/job/journal.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { PagePosition } from '../../core/ports/job-store.ts';
import { ExpiringMap } from './expiring-map.ts';
import { frozenCopy } from './frozen-copy.ts';

interface StoredPage {
  readonly page: JournalPage;
  /** What tells the same page sent twice from another one. */
  readonly text: string;
  readonly sizeBytes: number;
  readonly expiresAtSeconds: number;
}

/** A reader's answer ends where one query of the table would. */
const ANSWER_BYTES = 1024 * 1024;
const FIRST: PagePosition = { generation: 0, seq: 0 };

/** The journals of all jobs. */
export class JournalPages {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #journals = new Map<string, ExpiringMap<StoredPage>>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  append(page: JournalPage): 'appended' | 'conflict' {
    const text = JSON.stringify([page.entries, page.totals]);
    const sizeBytes = Buffer.byteLength(text);
    checkItemSize('journal page', sizeBytes, page.jobId);
    const journal = this.#journalOf(page.jobId);
    const place = `${page.generation}#${page.seq}`;
    const there = journal.get(place);
    if (there !== undefined) return there.text === text ? 'appended' : 'conflict';
    const { expiresAtSeconds } = page;
    journal.set(place, { page: frozenCopy(page), text, sizeBytes, expiresAtSeconds });
    return 'appended';
  }

  all(jobId: string): JournalPage[] {
    return this.#behind(jobId, FIRST).map(({ page }) => page);
  }

  read(position: { jobId: string; generation: number; afterSeq: number }): JournalPage[] {
    const { jobId, generation, afterSeq } = position;
    return this.#behind(jobId, { generation, seq: afterSeq })
      .map(({ page }) => page)
      .filter((page) => page.generation === generation);
  }

  last(jobId: string, generation: number): JournalPage | undefined {
    return this.read({ jobId, generation, afterSeq: 0 }).at(-1);
  }

  list(jobId: string, cursor: PagePosition = FIRST): { pages: JournalPage[]; next?: PagePosition } {
    const pages: JournalPage[] = [];
    let bytes = 0;
    for (const stored of this.#behind(jobId, cursor)) {
      bytes += stored.sizeBytes;
      const last = pages.at(-1);
      if (last !== undefined && bytes > ANSWER_BYTES) {
        return { pages, next: { generation: last.generation, seq: last.seq } };
      }
      pages.push(stored.page);
    }
    return { pages };
  }

  #journalOf(jobId: string): ExpiringMap<StoredPage> {
    let journal = this.#journals.get(jobId);
    if (journal === undefined) {
      journal = new ExpiringMap(this.#clock);
      this.#journals.set(jobId, journal);
    }
    return journal;
  }

  #behind(jobId: string, position: PagePosition): StoredPage[] {
    const stored = this.#journals.get(jobId)?.values() ?? [];
    return stored
      .filter(({ page }) => isBehind(page, position))
      .sort((a, b) => a.page.generation - b.page.generation || a.page.seq - b.page.seq);
  }
}

function isBehind(page: JournalPage, position: PagePosition): boolean {
  if (page.generation !== position.generation) return page.generation > position.generation;
  return page.seq > position.seq;
}
