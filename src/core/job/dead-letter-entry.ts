/**
 * Makes a dead-lettered job appear in the list of its tenant. It only leads to the job: what became of that, the job item
 * says.
 */
export interface DeadLetterEntry {
  readonly jobId: string;
  readonly tenantId: string;
  /** The generation that was given up. */
  readonly generation: number;
  readonly failedAt: number;
  readonly expiresAtSeconds: number;
}

/** Place in the list of a tenant's dead letters, newest first. */
export interface DeadLetterPosition {
  readonly failedAt: number;
  readonly jobId: string;
}
