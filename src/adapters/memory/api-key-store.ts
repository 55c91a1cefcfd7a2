import type { ApiKey, ApiKeyStore } from '../../core/ports/api-key-store.ts';
import { answer } from './answer.ts';
import { frozenCopy } from './frozen-copy.ts';

export function memoryApiKeyStore(): ApiKeyStore {
  const keys = new Map<string, ApiKey>();
  return {
    find: (hash) => answer(() => keys.get(hash)),
    put: (key) =>
      answer(() => {
        keys.set(key.hash, frozenCopy(key));
      }),
    list: () => answer(() => [...keys.values()].sort((a, b) => a.createdAt - b.createdAt)),
    revoke: (hash, revokedAt) =>
      answer(() => {
        const key = keys.get(hash);
        if (key === undefined) return false;
        keys.set(hash, frozenCopy({ revokedAt, ...key }));
        return true;
      }),
    expire: (hash, expiresAt) =>
      answer(() => {
        const key = keys.get(hash);
        if (key === undefined) return false;
        const earlier = Math.min(expiresAt, key.expiresAt ?? Infinity);
        keys.set(hash, frozenCopy({ ...key, expiresAt: earlier }));
        return true;
      }),
    noteUse: (hash, usedAt) =>
      answer(() => {
        const key = keys.get(hash);
        if (key === undefined || (key.lastUsedAt ?? -Infinity) >= usedAt) return;
        keys.set(hash, frozenCopy({ ...key, lastUsedAt: usedAt }));
      }),
  };
}
