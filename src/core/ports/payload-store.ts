import type { PayloadRef } from '../job/stored-value.ts';

/** Payloads too large for an item. */
export interface PayloadStore {
  /** Stores JSON text under a key; the same key may be written again with the same text. */
  put(key: string, json: string): Promise<PayloadRef>;
  /**
   * JSON text of a payload.
   * @throws AppError `internal_error` when the object is missing or its SHA-256 differs.
   */
  get(ref: PayloadRef): Promise<string>;
  /** A URL that lets its holder read the payload for `expiresInSeconds`. */
  presignGet(ref: PayloadRef, expiresInSeconds: number): Promise<string>;
}
