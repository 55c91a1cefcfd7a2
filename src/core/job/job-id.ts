import type { IdSource } from '../ports/id-source.ts';

const JOB_ID = /^job_[0-9a-z]{26}$/;

/** Whether text has the form of a job id; what has not needs no look-up. */
export function isJobId(text: string): boolean {
  return JOB_ID.test(text);
}

/** With a key: the same id for the same tenant and key, so that a crash between two writes cannot make two jobs. */
export function newJobId(ids: IdSource, tenantId: string, key: string | undefined): string {
  return `job_${key === undefined ? ids.newId() : ids.deriveId(tenantId, key)}`;
}
