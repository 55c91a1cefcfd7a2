/** A change of a job's status, for whoever listens to the bus. It carries no input, no outcome and no result. */
export interface StatusChange {
  /** The same when the same change is put again. */
  readonly eventId: string;
  readonly jobId: string;
  readonly tenantId: string;
  readonly agent: string;
  /** `submitted` and `started` are the first `queued` and the first `running`. */
  readonly change: 'submitted' | 'started' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
  readonly status: string;
  readonly waitingFor?: string;
  readonly generation: number;
  readonly attempts: number;
  readonly createdAt: string;
  readonly changedAt: string;
  readonly finishedAt?: string;
  readonly error?: { readonly code: string; readonly message: string; readonly step?: string };
  readonly deadLettered?: boolean;
  readonly parentId?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
}

/** Where changes of status are published, if the deployment wants that; at least once for final ones. */
export interface EventBus {
  put(change: StatusChange): Promise<void>;
}
