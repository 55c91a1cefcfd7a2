import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { checkItemSize } from '../../core/job/item-limit.ts';
import type { JournalEntry, JournalPage } from '../../core/job/journal.ts';
import type { Totals } from '../../core/job/job.ts';
import type { JobStore, PagePosition } from '../../core/ports/job-store.ts';
import { TABLE_KEYS } from '../../settings/names.ts';
import { attempt } from './attempt.ts';
import { itemSizeBytes } from './item-size.ts';
import {
  LAST_GENERATION,
  LAST_SEQ,
  jobIdOf,
  jobPartition,
  pageKey,
  pagePosition,
  pageSortKey,
} from './keys.ts';
import {
  type Item,
  type Table,
  getItem,
  ifFree,
  isAlive,
  putItem,
  queryRange,
  rangeQuery,
} from './table.ts';

type JournalPages = Pick<JobStore, 'appendPage' | 'readPages' | 'lastPage' | 'listPages'>;

export function journalPages(table: Table): JournalPages {
  return {
    appendPage: (page) => appendPage(table, page),
    readPages: (position) => readPages(table, position),
    lastPage: (jobId, generation) => lastPage(table, jobId, generation),
    listPages: (jobId, cursor) => listPages(table, jobId, cursor),
  };
}

async function appendPage(table: Table, page: JournalPage): Promise<'appended' | 'conflict'> {
  const item = toPageItem(page);
  checkItemSize('journal page', itemSizeBytes(item), page.jobId);
  const put = await attempt(putItem(table, item, ifFree(table)));
  if (put.applied) return 'appended';
  // The SDK sends again what got no answer, and the second put meets the first. Two workers never write the same text:
  // their attempts differ.
  const there = put.item ?? (await getItem(table, pageKey(page.jobId, page)));
  const isOurs = there?.entries === item.entries && there?.totals === item.totals;
  return isOurs ? 'appended' : 'conflict';
}

async function readPages(
  table: Table,
  position: { jobId: string; generation: number; afterSeq: number },
): Promise<JournalPage[]> {
  const { jobId, generation, afterSeq } = position;
  const range = {
    pk: jobPartition(jobId),
    from: pageSortKey({ generation, seq: afterSeq + 1 }),
    to: pageSortKey({ generation, seq: LAST_SEQ }),
  };
  const items = await queryRange(table, range, { ConsistentRead: true });
  return items.map(fromPageItem);
}

async function lastPage(
  table: Table,
  jobId: string,
  generation: number,
): Promise<JournalPage | undefined> {
  const range = {
    pk: jobPartition(jobId),
    from: pageSortKey({ generation, seq: 1 }),
    to: pageSortKey({ generation, seq: LAST_SEQ }),
  };
  const newest = { ...rangeQuery(table, range), ScanIndexForward: false, Limit: 1 };
  const { Items: [item] = [] } = await table.client.send(new QueryCommand(newest));
  if (item === undefined) return undefined;
  if (isAlive(table, item)) return fromPageItem(item);
  // An expired journal that was longer than the one which took its place: rare, so it may cost a second query.
  const [alive] = (await queryRange(table, range)).slice(-1);
  return alive && fromPageItem(alive);
}

/** One query reads at most 1 MB, so it is the answer. */
async function listPages(
  table: Table,
  jobId: string,
  cursor: PagePosition = { generation: 0, seq: 0 },
): Promise<{ pages: JournalPage[]; next?: PagePosition }> {
  const range = {
    pk: jobPartition(jobId),
    from: pageSortKey({ generation: cursor.generation, seq: cursor.seq + 1 }),
    to: pageSortKey({ generation: LAST_GENERATION, seq: LAST_SEQ }),
  };
  const answer = await table.client.send(new QueryCommand(rangeQuery(table, range)));
  const items = (answer.Items ?? []).filter((item) => isAlive(table, item));
  const pages = items.map(fromPageItem);
  const last = answer.LastEvaluatedKey?.[TABLE_KEYS.sort] as string | undefined;
  return last === undefined ? { pages } : { pages, next: pagePosition(last) };
}

/** Entries are kept as text, so that what is read is what was written. */
function toPageItem(page: JournalPage): Item {
  return {
    ...pageKey(page.jobId, page),
    entries: JSON.stringify(page.entries),
    totals: JSON.stringify(page.totals),
    expiresAtSeconds: page.expiresAtSeconds,
  };
}

export function fromPageItem(item: Item): JournalPage {
  return {
    jobId: jobIdOf(item.pk as string),
    ...pagePosition(item.sk as string),
    entries: JSON.parse(item.entries as string) as JournalEntry[],
    totals: JSON.parse(item.totals as string) as Totals,
    expiresAtSeconds: item.expiresAtSeconds as number,
  };
}
