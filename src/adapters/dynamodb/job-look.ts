import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { JobLook, JobStore, PagePosition } from '../../core/ports/job-store.ts';
import { fromJobItem } from './job-codec.ts';
import { fromPageItem } from './journal-pages.ts';
import { isPage, jobKey, jobPartition, pageSortKey } from './keys.ts';
import { type Table, isAlive, rangeQuery } from './table.ts';

export function jobLook(table: Table): Pick<JobStore, 'lookAt'> {
  return {
    lookAt: (jobId, after, { consistent }) => lookAt(table, { jobId, after, consistent }),
  };
}

/** `JOB` sorts right behind the pages (`J#…`), so one query brings both, and the job is read last. */
async function lookAt(
  table: Table,
  look: { readonly jobId: string; readonly after: PagePosition; readonly consistent: boolean },
): Promise<JobLook> {
  const { jobId, after, consistent } = look;
  const { generation, seq } = after;
  const range = {
    pk: jobPartition(jobId),
    from: pageSortKey({ generation, seq: seq + 1 }),
    to: jobKey(jobId).sk,
  };
  const { Items = [], LastEvaluatedKey } = await table.client.send(
    new QueryCommand({ ...rangeQuery(table, range), ConsistentRead: consistent }),
  );
  const alive = Items.filter((item) => isAlive(table, item));
  const job = alive.find(({ sk }) => sk === range.to);
  return {
    pages: alive.filter(({ sk }) => isPage(sk as string)).map(fromPageItem),
    isWhole: LastEvaluatedKey === undefined,
    ...(job !== undefined && { job: fromJobItem(job) }),
  };
}
