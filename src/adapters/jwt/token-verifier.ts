import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { Clock } from '../../core/ports/clock.ts';
import type { TokenVerdict, TokenVerifier } from '../../core/ports/token-verifier.ts';
import { discoverKeys } from './discover-keys.ts';
import { issuerKeys } from './issuer-keys.ts';
import { trustedUrl } from './trusted-url.ts';

/** Whose tokens count, and where they say what. */
export interface TokenRules {
  readonly issuer: string;
  /** One of them has to be that of a token. */
  readonly audiences: readonly string[];
  /** Default: what the issuer's discovery document names. */
  readonly jwksUrl?: string;
  readonly tenantClaim: string;
  /** Text with blanks between scopes, or a list. */
  readonly scopeClaim: string;
  /** Scopes of the issuer and what each of them is here; empty: they have our names. */
  readonly scopeMap: readonly (readonly [theirs: string, ours: string])[];
  /** Whether keys may come by http from this very machine. */
  readonly allowLoopback: boolean;
}

/** Signatures by public keys only: a shared secret, or none, would let whoever can read the keys sign. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'EdDSA',
];
/** By RFC 9068 access tokens are `at+jwt`; many issuers say `JWT`, or nothing. All else is for another purpose. */
const TYPES = ['at+jwt', 'jwt'];
const CLOCK_TOLERANCE_SECONDS = 30;
const TENANT = /^[a-z0-9-]{1,64}$/;

/** Tokens of one issuer, signed with a key that it publishes. */
export function joseTokenVerifier(
  rules: TokenRules,
  { clock, cooldownMs }: { readonly clock: Pick<Clock, 'now'>; readonly cooldownMs?: number },
): TokenVerifier {
  const keys = issuerKeys({
    locate: async () => trustedUrl(rules.jwksUrl ?? (await discoverKeys(rules.issuer)), rules),
    clock,
    ...(cooldownMs !== undefined && { cooldownMs }),
  });
  return {
    verify: async (token) => {
      try {
        const { payload, protectedHeader } = await jwtVerify(token, keys, {
          issuer: rules.issuer,
          audience: [...rules.audiences],
          algorithms: ALGORITHMS,
          requiredClaims: ['exp'],
          clockTolerance: CLOCK_TOLERANCE_SECONDS,
          currentDate: new Date(clock.now()),
        });
        return verdictOn(payload, protectedHeader.typ, rules);
      } catch (error) {
        if (!(error instanceof errors.JOSEError)) throw error;
        return refused(`token refused: ${error.code}: ${error.message}`);
      }
    },
  };
}

function verdictOn(payload: JWTPayload, typ: string | undefined, rules: TokenRules): TokenVerdict {
  const type = (typ ?? 'jwt').toLowerCase().replace(/^application\//, '');
  if (!TYPES.includes(type)) return refused(`token of the type ${JSON.stringify(typ)}`);
  const tenantId = payload[rules.tenantClaim];
  if (typeof tenantId !== 'string' || !TENANT.test(tenantId)) {
    return refused(`token whose claim ${JSON.stringify(rules.tenantClaim)} is no tenant id`);
  }
  const expiresAt = ((payload.exp ?? 0) + CLOCK_TOLERANCE_SECONDS) * 1_000;
  return { valid: true, tenantId, scopes: scopesOf(payload[rules.scopeClaim], rules), expiresAt };
}

function scopesOf(claim: unknown, { scopeMap }: TokenRules): string[] {
  const given: readonly unknown[] = typeof claim === 'string' ? claim.split(' ') : listOf(claim);
  const theirs = given.filter((scope) => typeof scope === 'string' && scope !== '') as string[];
  if (scopeMap.length === 0) return [...new Set(theirs)];
  const ours = scopeMap.filter(([name]) => theirs.includes(name)).map(([, name]) => name);
  return [...new Set(ours)];
}

const listOf = (claim: unknown): readonly unknown[] => (Array.isArray(claim) ? claim : []);

const refused = (because: string): TokenVerdict => ({ valid: false, because });
