import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JWTVerifyGetKey,
  type RemoteJWKSet,
} from 'jose';
import type { Clock } from '../../core/ports/clock.ts';
import { FETCH_TIMEOUT_MS } from './fetch-limits.ts';

/** Keys are read again when they are this old, so that one the issuer takes back does not stay good. */
const MAX_AGE_MS = 600_000;
/** An unknown key id makes them be read again, but not more often than this: anybody can make up key ids. */
const COOLDOWN_MS = 30_000;
/** While the issuer does not answer, the keys it had are good for this long after their time. */
const STALE_MS = 3_600_000;
/** And it is left alone for this long. */
const RETRY_MS = 5_000;

/** The keys of the issuer cannot be had: whether a token is good is not known. */
export class KeysUnavailableError extends Error {
  constructor(cause: unknown) {
    super('the keys of the issuer of tokens cannot be had', { cause });
    this.name = 'KeysUnavailableError';
  }
}

export interface IssuerKeysOptions {
  /** Where the keys are; asked until it answers once. */
  readonly locate: () => Promise<URL>;
  readonly clock: Pick<Clock, 'now'>;
  /** @default 30 s */
  readonly cooldownMs?: number;
}

/** The key for a token out of the published keys of its issuer, which are read when needed and kept. */
export function issuerKeys({
  locate,
  clock,
  cooldownMs = COOLDOWN_MS,
}: IssuerKeysOptions): JWTVerifyGetKey {
  let remote: RemoteJWKSet | undefined;
  let goodAt = -Infinity;
  let failure: { readonly at: number; readonly error: unknown } | undefined;

  return async (header, token) => {
    const now = clock.now();
    if (failure !== undefined && now - failure.at < RETRY_MS) return outdated(failure.error);
    try {
      remote ??= createRemoteJWKSet(await locate(), {
        cacheMaxAge: MAX_AGE_MS,
        cooldownDuration: cooldownMs,
        timeoutDuration: FETCH_TIMEOUT_MS,
      });
      const key = await remote(header, token);
      failure = undefined;
      goodAt = now;
      return key;
    } catch (error) {
      if (isOfToken(error)) throw error;
      failure = { at: now, error };
      return outdated(error);
    }

    async function outdated(error: unknown) {
      const keys = remote?.jwks();
      if (keys === undefined || now - goodAt > STALE_MS) throw new KeysUnavailableError(error);
      try {
        return await createLocalJWKSet(keys)(header, token);
      } catch {
        // It may be signed with a key that is newer than these.
        throw new KeysUnavailableError(error);
      }
    }
  };
}

/** What is wrong with the token, as opposed to what keeps the keys away. */
function isOfToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}
