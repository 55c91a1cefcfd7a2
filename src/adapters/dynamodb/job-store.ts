import type { JobStore } from '../../core/ports/job-store.ts';
import { deliveries } from './deliveries.ts';
import { deadLetterEntries } from './dead-letter-entries.ts';
import { dueIndex } from './due-index.ts';
import { jobHistory } from './job-history.ts';
import { jobItems } from './job-items.ts';
import { jobLook } from './job-look.ts';
import { jobList } from './job-list.ts';
import { journalPages } from './journal-pages.ts';
import { manifests } from './manifests.ts';
import { putOnceItems } from './put-once-items.ts';
import type { Table } from './table.ts';

/** The durable state in one DynamoDB table. */
export function dynamoJobStore(table: Table): JobStore {
  return {
    ...jobItems(table),
    ...journalPages(table),
    ...putOnceItems(table),
    ...jobHistory(table),
    ...jobLook(table),
    ...manifests(table),
    ...deliveries(table),
    ...dueIndex(table),
    ...jobList(table),
    ...deadLetterEntries(table),
  };
}
