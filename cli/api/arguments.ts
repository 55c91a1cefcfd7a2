import { UsageError } from '../usage-error.ts';
import { millisecondsOf } from '../end-of.ts';

/** The arguments of a command by their names, all of which have to be there. */
export function exactly<const Names extends readonly string[]>(
  positionals: readonly string[],
  names: Names,
): { readonly [Index in keyof Names]: string } {
  const missing = names[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  const extra = positionals[names.length];
  if (extra !== undefined) {
    throw new UsageError(
      `${JSON.stringify(extra)} is one argument too many: it takes ${names.length === 0 ? 'none' : names.join(' ')}`,
    );
  }
  const empty = positionals.findIndex((text) => text.trim() === '');
  if (empty >= 0) throw new UsageError(`${names[empty] ?? 'an argument'} is empty`);
  return positionals as unknown as { readonly [Index in keyof Names]: string };
}

export function countOf(option: string, text: string, max: number): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= max) return count;
  throw new UsageError(
    `${option} is ${JSON.stringify(text)}: allowed is a whole number from 1 to ${max}`,
  );
}

export function oneOf<const Values extends readonly string[]>(
  option: string,
  text: string | undefined,
  values: Values,
): Values[number] | undefined {
  if (text === undefined) return undefined;
  const found = values.find((value) => value === text);
  if (found !== undefined) return found;
  throw new UsageError(`${option} is ${JSON.stringify(text)}: allowed are ${values.join(', ')}`);
}

/** `--timeout 10m` */
export function timeoutOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : millisecondsOf('--timeout', text);
}

/** A moment in the past: so long ago (`2h`), or a date or time in ISO 8601. */
export function pastOf(option: string, text: string | undefined, now: number): string | undefined {
  if (text === undefined) return undefined;
  const at = /^\d{4}-/.test(text) ? Date.parse(text) : now - millisecondsOf(option, text);
  if (Number.isNaN(at)) throw new UsageError(`${option} is ${JSON.stringify(text)}: no such date`);
  return new Date(at).toISOString();
}
