import { AppError } from '../errors.ts';

/** A length of time: a whole or decimal number and a unit, for instance `'250ms'`, `'90s'`, `'1.5h'`, `'30d'`. */
export type Duration = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** 400 days. */
const MAX_MS = 34_560_000_000;
const PATTERN = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/**
 * Milliseconds of a duration.
 * @throws AppError `invalid_duration` naming the value and the form it must have.
 */
export function durationMs(duration: Duration): number {
  const match = PATTERN.exec(duration);
  if (match === null) {
    throw new AppError(
      `duration ${JSON.stringify(duration)} is not a number with a unit: write it as '250ms', '90s', '5m', '2h' or '30d'`,
      { code: 'invalid_duration', details: { value: duration } },
    );
  }
  const ms = Math.round(Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS]);
  if (ms <= MAX_MS) return ms;
  throw new AppError(
    `duration ${JSON.stringify(duration)} is too long: allowed is at most '400d', the longest a job can take`,
    { code: 'invalid_duration', details: { value: duration } },
  );
}

/** The shortest way to write a length of time: 90,000 is `'90s'`, 7,200,000 is `'2h'`. */
export function durationText(ms: number): Duration {
  const units = Object.entries(UNIT_MS).reverse() as [keyof typeof UNIT_MS, number][];
  const [unit, unitMs] = units.find(([, length]) => ms >= length && ms % length === 0) ?? ['ms', 1];
  return `${ms / unitMs}${unit}`;
}
