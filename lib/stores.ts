import type { Encryption } from './constructs/encryption.ts';
import type { IdempotencyTable } from './constructs/idempotency-table.ts';
import type { JobQueue } from './constructs/job-queue.ts';
import type { JobTable } from './constructs/job-table.ts';
import type { NotificationQueue } from './constructs/notification-queue.ts';
import type { PayloadBucket } from './constructs/payload-bucket.ts';
import type { StatusEvents } from './constructs/status-events.ts';

/** Where state lives; functions are given what they need of it. */
export interface Stores {
  readonly encryption: Encryption;
  readonly jobTable: JobTable;
  readonly idempotencyTable: IdempotencyTable;
  readonly payloads: PayloadBucket;
  readonly queue: JobQueue;
  readonly notifications: NotificationQueue;
  readonly statusEvents: StatusEvents;
}
