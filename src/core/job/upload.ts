import type { IdSource } from '../ports/id-source.ts';

/** Size and hash that a client announced for the bytes it uploads. */
export interface UploadFacts {
  readonly sizeBytes: number;
  /** Hex. */
  readonly sha256: string;
}

const UPLOAD_ID = /^upl_[0-9a-z]{26}_([1-9a-z][0-9a-z]{0,7})_([0-9a-f]{64})$/;

/**
 * The id carries what was announced: nothing is stored before the bytes come, and a submission that is repeated is known by
 * their hash even when they are gone.
 */
export function newUploadId(
  ids: Pick<IdSource, 'newId'>,
  { sizeBytes, sha256 }: UploadFacts,
): string {
  return `upl_${ids.newId()}_${sizeBytes.toString(36)}_${sha256}`;
}

/** Undefined for text that `newUploadId` did not make. */
export function parseUploadId(text: string): UploadFacts | undefined {
  const [, size, sha256] = UPLOAD_ID.exec(text) ?? [];
  if (size === undefined || sha256 === undefined) return undefined;
  return { sizeBytes: Number.parseInt(size, 36), sha256 };
}
