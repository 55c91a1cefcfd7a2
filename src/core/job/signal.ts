import type { StoredValue } from './stored-value.ts';

/** A signal as it was received; kept once under its name and id. */
export interface ReceivedSignal {
  readonly jobId: string;
  readonly name: string;
  /** Given by the client, or derived: the same signal sent twice is one. */
  readonly signalId: string;
  readonly body: StoredValue;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  readonly expiresAtSeconds: number;
}
