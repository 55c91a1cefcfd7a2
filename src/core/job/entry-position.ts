/** Place of an entry in the history of a job, across all its generations; ordered by its parts. */
export interface EntryPosition {
  readonly generation: number;
  readonly seq: number;
  /** Within the page. */
  readonly index: number;
}

/** The submission stands before every page. */
export const SUBMITTED: EntryPosition = { generation: 0, seq: 0, index: 0 };

/** Behind every page there can be. */
export const END_SEQ = 9_999_999_999;

/** An end that has no page of its own stands behind every page of its generation. */
export function endOf(generation: number): EntryPosition {
  return { generation, seq: END_SEQ, index: 0 };
}

export function isBehind(position: EntryPosition, other: EntryPosition): boolean {
  const distance =
    position.generation - other.generation ||
    position.seq - other.seq ||
    position.index - other.index;
  return distance > 0;
}
