import { RecurrenceFault } from './cron-fields.ts';
import { nextRun } from './next-run.ts';
import { parseRecurrence, type Recurrence } from './recurrence.ts';
import { isTimeZone } from './time-zone.ts';

/** When a schedule runs, as whoever wrote it says; instants are epoch milliseconds. */
export interface AskedTiming {
  readonly expression: string;
  readonly timezone: string;
  readonly startAt?: number;
  readonly endAt?: number;
}

export interface TimingFault {
  readonly path: readonly (keyof AskedTiming)[];
  readonly message: string;
}

/** Why nothing could ever run by it; `now` is absent where only the form counts. */
export function timingFaults(timing: AskedTiming, now?: number): TimingFault[] {
  const { expression, timezone, startAt, endAt } = timing;
  const faults: TimingFault[] = [];
  const recurrence = recurrenceOf(expression);
  if (typeof recurrence === 'string') faults.push({ path: ['expression'], message: recurrence });
  if (!isTimeZone(timezone)) {
    const message = `${JSON.stringify(timezone)} is no time zone: write a name of the IANA database, such as UTC or Europe/Berlin`;
    faults.push({ path: ['timezone'], message });
  }
  if (endAt !== undefined && endAt <= Math.max(startAt ?? -Infinity, now ?? -Infinity)) {
    faults.push({
      path: ['endAt'],
      message: `must lie in the future, and behind startAt: got ${new Date(endAt).toISOString()}`,
    });
  }
  if (faults.length > 0 || now === undefined || typeof recurrence === 'string') return faults;
  if (nextRun(recurrence, { ...timing, anchorAt: now }, now) !== undefined) return [];
  return [{ path: ['expression'], message: 'has no run in the time it is given' }];
}

function recurrenceOf(expression: string): Recurrence | string {
  try {
    return parseRecurrence(expression);
  } catch (error) {
    if (error instanceof RecurrenceFault) return error.message;
    throw error;
  }
}
