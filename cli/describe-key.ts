import { type ApiKey, keyState } from '../src/core/ports/api-key-store.ts';
import { isoOf } from './iso-of.ts';

/** A key as JSON for scripts: instants in ISO 8601, and never its hash. */
export function keyJson({
  hash: _,
  createdAt,
  expiresAt,
  revokedAt,
  lastUsedAt,
  ...key
}: ApiKey): Record<string, unknown> {
  return {
    ...key,
    createdAt: isoOf(createdAt),
    ...(expiresAt !== undefined && { expiresAt: isoOf(expiresAt) }),
    ...(revokedAt !== undefined && { revokedAt: isoOf(revokedAt) }),
    ...(lastUsedAt !== undefined && { lastUsedAt: isoOf(lastUsedAt) }),
  };
}

/** A key on one line for people. */
export function keyLine(key: ApiKey, now: number): string {
  const { prefix, tenantId, scopes, createdAt, lastUsedAt } = key;
  const used = lastUsedAt === undefined ? 'never used' : `used ${isoOf(lastUsedAt)}`;
  return [
    prefix,
    tenantId,
    scopes.join(','),
    `created ${isoOf(createdAt)}`,
    used,
    stateOf(key, now),
  ].join('  ');
}

function stateOf(key: ApiKey, now: number): string {
  const { expiresAt, revokedAt } = key;
  const state = keyState(key, now);
  if (state === 'revoked') return `revoked ${isoOf(revokedAt ?? now)}`;
  if (expiresAt === undefined) return state;
  return `${state === 'active' ? 'expires' : state} ${isoOf(expiresAt)}`;
}
