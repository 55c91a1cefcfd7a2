/** Randomness and hashing. */
export interface IdSource {
  /** Uniform in [0, 1). */
  random(): number;
  /** 128 random bits as 26 characters of `[0-9a-z]`. */
  newId(): string;
  /** 26 characters of `[0-9a-z]` derived from the parts: the same parts give the same id, and parts never run together. */
  deriveId(...parts: readonly string[]): string;
  /** Hex SHA-256 of UTF-8 text. */
  sha256(text: string): string;
}
