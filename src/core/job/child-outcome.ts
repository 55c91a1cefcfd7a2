import type { FinalStatus, JobError } from './job.ts';
import type { StoredValue } from './stored-value.ts';

/** How a sub-job ended, as its parent gets it; kept once in the parent's partition. */
export interface ChildOutcome {
  readonly parentId: string;
  readonly childId: string;
  readonly status: FinalStatus;
  /** Inline or in S3. */
  readonly result?: StoredValue;
  readonly error?: JobError;
  readonly expiresAtSeconds: number;
}
