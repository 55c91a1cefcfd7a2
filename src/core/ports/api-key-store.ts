/** A key as stored: its SHA-256, never the key. */
export interface ApiKey {
  /** Hex SHA-256 of the key. */
  readonly hash: string;
  readonly tenantId: string;
  readonly scopes: readonly string[];
  /** The first characters, to recognise a key by. */
  readonly prefix: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** From then on it is refused. */
  readonly expiresAt?: number;
  readonly revokedAt?: number;
  /** Of a request that was let in; up to an hour older than the latest one. */
  readonly lastUsedAt?: number;
}

/** The API keys of a deployment, by their hash. */
export interface ApiKeyStore {
  find(hash: string): Promise<ApiKey | undefined>;
  put(key: ApiKey): Promise<void>;
  /** All keys, revoked ones too, oldest first; for operators, since it costs a read per key. Eventually consistent. */
  list(): Promise<ApiKey[]>;
  /** False when there is no such key; a key revoked before keeps its first time. */
  revoke(hash: string, revokedAt: number): Promise<boolean>;
  /** Gives a key an end, never a later one than it has. False when there is no such key. */
  expire(hash: string, expiresAt: number): Promise<boolean>;
  /** Notes that a key was used, unless a later use is known or the key is gone. */
  noteUse(hash: string, usedAt: number): Promise<void>;
}

/** Whether a key opens anything at an instant. */
export function keyState(
  { revokedAt = Infinity, expiresAt = Infinity }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>,
  now: number,
): 'active' | 'expired' | 'revoked' {
  if (revokedAt <= now) return 'revoked';
  return expiresAt <= now ? 'expired' : 'active';
}
