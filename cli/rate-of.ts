import { UsageError } from './usage-error.ts';

/** In each unit of time that an option may have. */
export const SECONDS = { s: 1, m: 60, min: 60, h: 3_600, d: 86_400, day: 86_400 } as const;

/** Jobs per second of `--rate 5/s`. */
export function rateOf(value: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\/(s|m|min|h|d|day)$/.exec(value) ?? [];
  const rate = Number(amount) / SECONDS[unit as keyof typeof SECONDS];
  if (rate > 0) return rate;
  throw new UsageError(
    `--rate must be a number above 0 per s, min, h or day, as in 5/s: got ${value}`,
  );
}
