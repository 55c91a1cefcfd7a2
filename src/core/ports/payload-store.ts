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
  /** How a client may store exactly the bytes referred to, once, within `expiresInSeconds`. */
  presignPut(ref: PayloadRef, expiresInSeconds: number): Promise<PresignedPut>;
  /** What lies where a client was to upload the bytes referred to. */
  readUpload(ref: PayloadRef): Promise<UploadReading>;
  /** Stores a payload under another key, too. */
  copy(ref: PayloadRef, key: string): Promise<PayloadRef>;
}

/** A PUT request that needs no other authorisation; it counts only with these headers. */
export interface PresignedPut {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What was found where an upload was announced. */
export type UploadReading =
  | { readonly outcome: 'read'; readonly text: string }
  | { readonly outcome: 'absent' }
  /** Other bytes than those announced; those of another size are not read. */
  | { readonly outcome: 'differs'; readonly sizeBytes: number; readonly sha256?: string }
  | { readonly outcome: 'not_utf8' };
