import { cronDays, dateOf } from './cron-days.ts';
import type { Cron } from './cron-fields.ts';
import type { Recurrence } from './recurrence.ts';
import { earliestWallAfter, instantOf } from './time-zone.ts';

/** Bounds of a recurrence; instants are epoch milliseconds. */
export interface RunBounds {
  /** Where the clocks are that a cron expression goes by. */
  readonly timezone: string;
  /** A rate counts from here. */
  readonly anchorAt: number;
  readonly startAt?: number;
  readonly endAt?: number;
}

/**
 * The first run behind an instant; undefined when there is none. A time that clocks leave out when they are set forward is left
 * out; one that they show twice counts once, the first time. So does EventBridge Scheduler:
 * https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#daylist-savings-time
 */
export function nextRun(
  recurrence: Recurrence,
  { timezone, anchorAt, startAt, endAt = Infinity }: RunBounds,
  after: number,
): number | undefined {
  // A run at the very start counts.
  const behind = Math.max(after, (startAt ?? -Infinity) - 1);
  const run =
    recurrence.kind === 'rate'
      ? nextOfRate(recurrence.intervalMs, { anchorAt, startAt, behind })
      : nextOfCron(recurrence.cron, timezone, behind);
  return run === undefined || run > endAt ? undefined : run;
}

/** With a start the first run is there, without one an interval after the anchor. */
function nextOfRate(
  intervalMs: number,
  {
    anchorAt,
    startAt,
    behind,
  }: { readonly anchorAt: number; readonly startAt: number | undefined; readonly behind: number },
): number {
  const first = startAt ?? anchorAt + intervalMs;
  if (behind < first) return first;
  return first + (Math.floor((behind - first) / intervalMs) + 1) * intervalMs;
}

function nextOfCron(cron: Cron, timezone: string, behind: number): number | undefined {
  const from = earliestWallAfter(behind, timezone);
  for (const date of cronDays(cron, dateOf(from))) {
    for (const wall of timesOf(cron, date)) {
      if (wall < from) continue;
      const instant = instantOf(wall, timezone);
      if (instant !== undefined && instant > behind) return instant;
    }
  }
  return undefined;
}

function* timesOf({ hours, minutes }: Cron, date: number): Generator<number, void> {
  for (const hour of hours) {
    for (const minute of minutes) yield date + hour * 3_600_000 + minute * 60_000;
  }
}
