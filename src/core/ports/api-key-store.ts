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
  readonly revokedAt?: number;
}

/** The API keys of a deployment, by their hash. */
export interface ApiKeyStore {
  find(hash: string): Promise<ApiKey | undefined>;
  put(key: ApiKey): Promise<void>;
  /** All keys, revoked ones too, oldest first; for operators, since it costs a read per key. Eventually consistent. */
  list(): Promise<ApiKey[]>;
  /** False when there is no such key; a key revoked before keeps its first time. */
  revoke(hash: string, revokedAt: number): Promise<boolean>;
}
