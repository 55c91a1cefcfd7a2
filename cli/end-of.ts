import { type Duration, durationMs } from '../src/agent/duration.ts';
import { UsageError } from './usage-error.ts';

const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/**
 * An instant to come: so long from now (`90d`), or a date (`2027-01-31`, at midnight UTC) or time in ISO 8601. Undefined for
 * `never`, and when the option is not given.
 */
export function endOf(option: string, text: string | undefined, now: number): number | undefined {
  if (text === undefined || text === 'never') return undefined;
  const at = ISO.test(text) ? Date.parse(text) : now + millisecondsOf(option, text);
  if (Number.isNaN(at)) throw new UsageError(`${option} is ${JSON.stringify(text)}: no such date`);
  if (at > now) return at;
  throw new UsageError(`${option} is ${JSON.stringify(text)}: it must lie in the future`);
}

export function millisecondsOf(option: string, text: string): number {
  try {
    return durationMs(text as Duration);
  } catch (error) {
    throw new UsageError(`${option}: ${(error as Error).message}`);
  }
}
