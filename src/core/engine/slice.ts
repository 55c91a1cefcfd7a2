/** How the time of one invocation is divided: a slice for its jobs, and a rest for writing down where they stand. */
export interface SliceTime {
  readonly sliceMs: number;
  readonly marginMs: number;
}

/** The last tenth of an invocation, 2 to 15 seconds, is kept for writing down where its jobs stand. */
export function sliceOf(invocationMs: number): SliceTime {
  // What is left at the start is some milliseconds short of the timeout; the whole second keeps the slice's length the same each time.
  const totalMs = Math.ceil(invocationMs / 1_000) * 1_000;
  const marginMs = Math.min(15_000, Math.max(2_000, totalMs / 10));
  return { marginMs, sliceMs: Math.max(1, totalMs - marginMs) };
}
