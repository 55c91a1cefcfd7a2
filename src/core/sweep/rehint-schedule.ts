const FIRST_MS = 30_000;
const LONGEST_MS = 3_600_000;

/** From this age on a queued job gets its hint even while the queue has a backlog: its message may be lost. */
const BACKLOG_PATIENCE_MS = 900_000;

/**
 * When a queued job is looked at next, and whether it gets a hint now. The pause grows with the job's age, from 30 s to an
 * hour. While the queue has a backlog the job's own message is probably in it, so a young job gets none: a backlog must
 * not be multiplied.
 */
export function decideRehint(
  ageMs: number,
  hasBacklog: boolean,
): { nextInMs: number; send: boolean } {
  return {
    nextInMs: Math.min(LONGEST_MS, Math.max(FIRST_MS, ageMs)),
    send: !hasBacklog || ageMs >= BACKLOG_PATIENCE_MS,
  };
}
