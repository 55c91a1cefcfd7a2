import { parseArgs } from 'node:util';
import { dynamoApiKeyStore } from '../src/adapters/dynamodb/api-key-store.ts';
import { type ApiKey, keyState } from '../src/core/ports/api-key-store.ts';
import { endOf, millisecondsOf } from './end-of.ts';
import { checkKeyNames, findKeys } from './find-keys.ts';
import { isoOf } from './iso-of.ts';
import { issueKey } from './issue-key.ts';
import { openTable, TABLE_OPTIONS } from './open-table.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/**
 * `keys rotate`: a new key with the tenant and scopes of an old one, which ends after the overlap. The new one comes first: a
 * failure in between leaves one key too many, never one too few.
 */
export async function rotateKey(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      overlap: { type: 'string', default: '24h' },
      expires: { type: 'string' },
      ...TABLE_OPTIONS,
    },
  });
  checkKeyNames(positionals);
  if (positionals.length > 1) throw new UsageError('keys rotate takes one key at a time');
  const now = Date.now();
  const overlapMs = millisecondsOf('--overlap', values.overlap);
  const expiresAt = endOf('--expires', values.expires, now);
  const store = dynamoApiKeyStore(openTable(values.table, terminal));
  const [old] = await findKeys(store, positionals);
  if (old === undefined) return;
  checkActive(old, now);
  checkEnd(old, values.expires);

  const { key, stored } = await issueKey(store, { ...old, expiresAt }, now);
  await store.expire(old.hash, now + overlapMs);

  const { tenantId, scopes, prefix } = stored;
  const oldEnd = isoOf(Math.min(now + overlapMs, old.expiresAt ?? Infinity));
  const end = expiresAt === undefined ? {} : { expiresAt: isoOf(expiresAt) };
  const replaces = { prefix: old.prefix, expiresAt: oldEnd };
  const all = { key, tenantId, scopes, prefix, ...end, replaces };
  terminal.out(values.json ? JSON.stringify(all) : key);
  const until = expiresAt === undefined ? '' : `, until ${isoOf(expiresAt)}`;
  terminal.note(
    `key ${prefix}… of tenant ${tenantId} (${scopes.join(', ')})${until}: it is not shown again\n` +
      `the old key ${old.prefix}… is refused from ${oldEnd} on`,
  );
}

function checkActive(key: ApiKey, now: number): void {
  const state = keyState(key, now);
  if (state === 'active') return;
  throw new Error(
    `${key.prefix} of ${key.tenantId} is ${state}: make a new key with \`keys create --tenant ${key.tenantId} --scopes ${key.scopes.join(',')}\``,
  );
}

/** A key that ends is not followed by one for ever unless somebody says so. */
function checkEnd({ prefix, expiresAt }: ApiKey, given: string | undefined): void {
  if (expiresAt === undefined || given !== undefined) return;
  throw new UsageError(
    `${prefix} ends on ${isoOf(expiresAt)}: say with --expires when the new key ends (90d, 2027-01-31, never)`,
  );
}
