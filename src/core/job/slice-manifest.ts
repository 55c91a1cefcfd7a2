/** The lease of one invocation over the jobs it holds. */
export interface SliceManifest {
  readonly invocationId: string;
  readonly jobIds: readonly string[];
  /** Epoch milliseconds; also the item's `dueAt`. */
  readonly leaseExpiresAt: number;
  /** Jobs somebody wants to be looked at, in the order of the calls: the heartbeat brings them to the worker. */
  readonly attention?: readonly string[];
  readonly expiresAtSeconds: number;
}
