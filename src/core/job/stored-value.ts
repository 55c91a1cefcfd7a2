/** Where a JSON value is kept. JSON travels as text, so that what is read is what was written, byte for byte. */
export type StoredValue =
  | { readonly kind: 'inline'; readonly json: string }
  /** In an item of its own beside the job. */
  | { readonly kind: 'item'; readonly sizeBytes: number }
  | ({ readonly kind: 's3' } & PayloadRef);

/** Pointer to a payload in the bucket. */
export interface PayloadRef {
  readonly key: string;
  readonly sizeBytes: number;
  /** Hex. */
  readonly sha256: string;
}
