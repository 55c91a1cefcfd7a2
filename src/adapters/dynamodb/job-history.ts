import type { JobHistory, JobStore } from '../../core/ports/job-store.ts';
import { fromJobItem } from './job-codec.ts';
import { fromPageItem } from './journal-pages.ts';
import { inputKey, isChild, isPage, isSignal, jobKey, jobPartition } from './keys.ts';
import { fromChildItem, fromSignalItem } from './put-once-items.ts';
import { type Item, type Table, queryPartition } from './table.ts';

export function jobHistory(table: Table): Pick<JobStore, 'loadHistory'> {
  return { loadHistory: (jobId) => loadHistory(table, jobId) };
}

/** In key order CHILD#, INPUT#, J#, JOB, RESULT#, SIGNAL#: the job is read after its pages and before its signals. */
async function loadHistory(table: Table, jobId: string): Promise<JobHistory> {
  const items = await queryPartition(table, jobPartition(jobId), { ConsistentRead: true });
  const jobItem = items.find(({ sk }) => sk === jobKey(jobId).sk);
  const job = jobItem && fromJobItem(jobItem);
  const input = job && items.find(({ sk }) => sk === inputKey(job).sk);
  const history = {
    children: ofKind(items, isChild).map(fromChildItem),
    pages: ofKind(items, isPage).map(fromPageItem),
    job,
    signals: ofKind(items, isSignal).map(fromSignalItem),
  };
  return input === undefined ? history : { ...history, inputJson: input.json as string };
}

function ofKind(items: readonly Item[], isKind: (sortKey: string) => boolean): Item[] {
  return items.filter(({ sk }) => isKind(sk as string));
}
