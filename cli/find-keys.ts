import type { ApiKey, ApiKeyStore } from '../src/core/ports/api-key-store.ts';
import { hashOf, isPrefix, isWholeKey } from './api-key.ts';
import { UsageError } from './usage-error.ts';

/** Whether what was given can be keys or their prefixes, before the table is asked. */
export function checkKeyNames(names: readonly string[]): void {
  const hint = 'give whole keys, or prefixes as `keys list` shows them: lh_ and up to 8 characters';
  if (names.length === 0) throw new UsageError(`no key is named: ${hint}`);
  const wrong = names.findIndex((name) => !isWholeKey(name) && !isPrefix(name));
  // The text itself is not repeated: it may be a key with a slip in it, and this goes to logs.
  if (wrong >= 0)
    throw new UsageError(`argument ${wrong + 1} is no API key nor its prefix: ${hint}`);
}

/** Exactly one key for each name. */
export async function findKeys(store: ApiKeyStore, names: readonly string[]): Promise<ApiKey[]> {
  const stored = names.every(isWholeKey) ? [] : await store.list();
  const found = await Promise.all(
    names.map(async (name) =>
      isWholeKey(name)
        ? [await store.find(hashOf(name))]
        : stored.filter(({ prefix }) => prefix.startsWith(name)),
    ),
  );
  return found.map((keys, index) => single(keys, names[index] ?? ''));
}

function single(keys: readonly (ApiKey | undefined)[], name: string): ApiKey {
  const [key] = keys;
  if (key === undefined) {
    throw new Error(isWholeKey(name) ? 'there is no such key' : `no key begins with ${name}`);
  }
  if (keys.length === 1) return key;
  const all = keys.map((each) => `${each?.prefix ?? ''} of ${each?.tenantId ?? ''}`).join(', ');
  throw new Error(`${name} is the beginning of ${keys.length} keys: ${all}`);
}
