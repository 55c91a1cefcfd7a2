import type { ApiKey, ApiKeyStore } from '../src/core/ports/api-key-store.ts';
import { hashOf, newKey, prefixOf } from './api-key.ts';

export interface IssuedKey {
  /** The key itself: nothing else but its hash is kept. */
  readonly key: string;
  readonly stored: ApiKey;
}

export async function issueKey(
  store: Pick<ApiKeyStore, 'put'>,
  grant: Pick<ApiKey, 'tenantId' | 'scopes'> & { readonly expiresAt: number | undefined },
  now: number,
): Promise<IssuedKey> {
  const { tenantId, scopes, expiresAt } = grant;
  const key = newKey();
  const stored: ApiKey = {
    hash: hashOf(key),
    tenantId,
    scopes,
    prefix: prefixOf(key),
    createdAt: now,
    ...(expiresAt !== undefined && { expiresAt }),
  };
  await store.put(stored);
  return { key, stored };
}
