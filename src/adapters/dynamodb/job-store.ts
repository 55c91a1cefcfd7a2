import type { JobStore } from '../../core/ports/job-store.ts';
import { dueIndex } from './due-index.ts';
import { jobItems } from './job-items.ts';
import { journalPages } from './journal-pages.ts';
import { manifests } from './manifests.ts';
import type { Table } from './table.ts';

/** The durable state in one DynamoDB table. */
export function dynamoJobStore(table: Table): JobStore {
  return { ...jobItems(table), ...journalPages(table), ...manifests(table), ...dueIndex(table) };
}
