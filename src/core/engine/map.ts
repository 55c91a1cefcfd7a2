import type { MapOptions, Scope } from '../../agent/context.ts';
import { AppError } from '../../errors.ts';

const DEFAULT_CONCURRENCY = 10;
const MAX_CONCURRENCY = 1_000;

/**
 * Works on items side by side, in order, `concurrency` at once. After a failure no further item begins; those under way
 * end first, and then the failure of the lowest index is thrown: the same one in every replay.
 */
export async function mapItems<T, R>(
  items: readonly T[],
  options: MapOptions,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  checkItems(items);
  const concurrency = checkedConcurrency(options.concurrency ?? DEFAULT_CONCURRENCY);
  const results = new Array<R>(items.length);
  const failures: { index: number; error: unknown }[] = [];
  let next = 0;

  const workOnNext = async (): Promise<void> => {
    while (next < items.length && failures.length === 0) {
      const index = next++;
      try {
        results[index] = await work(items[index] as T, index);
      } catch (error) {
        failures.push({ index, error });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, workOnNext));

  failures.sort((a, b) => a.index - b.index);
  const first = failures[0];
  // What the agent threw is passed on as it is, whatever it is.
  if (first !== undefined) throw first.error;
  return results;
}

/** Scope of one item. */
export function itemScope(id: string, index: number): string {
  return `${id}[${index}]`;
}

export type ItemWork<T, R> = (item: T, scope: Scope, index: number) => R | Promise<R>;

function checkItems(items: unknown): void {
  if (Array.isArray(items)) return;
  throw new AppError(`the items of a map are a value of type ${typeof items}: give an array`, {
    code: 'invalid_option',
    details: { option: 'items' },
  });
}

function checkedConcurrency(value: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= MAX_CONCURRENCY) return value;
  throw new AppError(
    `concurrency is ${String(value)}: allowed is a whole number from 1 to ${MAX_CONCURRENCY}`,
    {
      code: 'invalid_option',
      details: { option: 'concurrency', value },
    },
  );
}
