/** The lease of one invocation over the jobs it holds. */
export interface SliceManifest {
  readonly invocationId: string;
  readonly jobIds: readonly string[];
  /** Epoch milliseconds; also the item's `dueAt`. */
  readonly leaseExpiresAt: number;
  readonly expiresAtSeconds: number;
}
