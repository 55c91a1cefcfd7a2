import { keyState, type ApiKeyStore } from '../../src/core/ports/api-key-store.ts';
import type { Clock } from '../../src/core/ports/clock.ts';
import type { IdSource } from '../../src/core/ports/id-source.ts';
import type { TokenVerifier } from '../../src/core/ports/token-verifier.ts';
import { SCOPES } from '../../src/protocol/routes.ts';
import type { Telemetry } from '../../src/core/ports/telemetry.ts';

/** Whom a credential stands for, or why it stands for nobody: words for the log, not for the caller. */
export type Identification =
  | {
      readonly known: true;
      readonly tenantId: string;
      readonly scopes: readonly string[];
      /** Epoch milliseconds from which on the credential is void. */
      readonly expiresAt?: number;
      readonly keyPrefix?: string;
    }
  | { readonly known: false; readonly because: string; readonly [fact: string]: unknown };

export interface TokenDeps {
  /** Absent: no tokens are taken. */
  readonly tokens?: TokenVerifier;
}

export interface KeyDeps {
  readonly keys: Pick<ApiKeyStore, 'find' | 'noteUse'>;
  readonly ids: Pick<IdSource, 'sha256'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly telemetry: Telemetry;
}

/** A use is written down once an hour at most: whether a key can go is a question of days. */
const USE_NOTED_EVERY_MS = 3_600_000;

/** Whose API key this is. */
export async function identifyKey(deps: KeyDeps, key: string): Promise<Identification> {
  const hash = deps.ids.sha256(key);
  const found = await deps.keys.find(hash);
  if (found === undefined) return { known: false, because: 'unknown key' };
  const { tenantId, scopes, prefix, expiresAt, lastUsedAt = -Infinity } = found;
  const now = deps.clock.now();
  const state = keyState(found, now);
  if (state !== 'active') {
    return { known: false, because: `${state} key`, tenantId, keyPrefix: prefix };
  }
  if (now - lastUsedAt >= USE_NOTED_EVERY_MS) await noteUse(deps, { hash, prefix, now });
  return {
    known: true,
    tenantId,
    scopes,
    keyPrefix: prefix,
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

/** For whom the issuer made this token. */
export async function identifyToken({ tokens }: TokenDeps, token: string): Promise<Identification> {
  if (tokens === undefined)
    return { known: false, because: 'a token, but no issuer is configured' };
  const verdict = await tokens.verify(token);
  if (!verdict.valid) return { known: false, because: verdict.because };
  const { tenantId, scopes, expiresAt } = verdict;
  // What else the token is good for is of no interest here.
  const ours = SCOPES.filter((scope) => scopes.includes(scope));
  return { known: true, tenantId, scopes: ours, expiresAt };
}

/** For operators: no reason to refuse a request. */
async function noteUse(
  { keys, telemetry }: KeyDeps,
  { hash, prefix, now }: { hash: string; prefix: string; now: number },
): Promise<void> {
  try {
    await keys.noteUse(hash, now);
  } catch (error) {
    telemetry.log('warn', 'the use of a key could not be noted', { keyPrefix: prefix, error });
  }
}
