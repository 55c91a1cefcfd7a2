import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { base64url, exportJWK, importJWK, SignJWT } from 'jose';
import { joseTokenVerifier, type TokenRules } from '../../src/adapters/jwt/token-verifier.ts';
import type { TokenVerdict } from '../../src/core/ports/token-verifier.ts';
import {
  AUDIENCE,
  signingKey,
  startTokenIssuer,
  type TokenIssuer,
  type TokenParts,
} from '../support/token-issuer.ts';

const HOUR_MS = 3_600_000;
const TOLERANCE_MS = 30_000;

let issuer: TokenIssuer;
let now: number;
let verify: (token: string) => Promise<TokenVerdict>;

beforeEach(async () => {
  issuer = await startTokenIssuer();
  // In whole seconds, as tokens are.
  now = Math.floor(Date.now() / 1_000) * 1_000;
  verify = verifier();
});

afterEach(() => issuer.stop());

function verifier(rules: Partial<TokenRules> = {}, cooldownMs = 0) {
  const all: TokenRules = {
    issuer: issuer.url,
    audiences: ['another', AUDIENCE],
    tenantClaim: 'tenant',
    scopeClaim: 'scope',
    scopeMap: [],
    allowLoopback: true,
    ...rules,
  };
  const { verify } = joseTokenVerifier(all, { clock: { now: () => now }, cooldownMs });
  return verify;
}

const token = (parts: TokenParts = {}) => issuer.token({ now: now / 1_000, ...parts });
const fetches = (path: string) => issuer.asked.filter((asked) => asked === path).length;

describe('a token that is good', () => {
  it('stands for tenant and scopes until its end, with the tolerance for clocks', async () => {
    expect(await verify(await token())).toEqual({
      valid: true,
      tenantId: 'acme',
      scopes: ['jobs:read', 'jobs:write'],
      expiresAt: now + 60_000 + TOLERANCE_MS,
    });
  });

  it('costs the issuer two requests, and then none', async () => {
    for (let times = 0; times < 3; times++) await verify(await token());
    expect(issuer.asked).toEqual(['/.well-known/openid-configuration', '/keys']);
  });

  it('needs no discovery where the keys are configured', async () => {
    const { valid } = await verifier({ jwksUrl: `${issuer.url}/keys` })(await token());
    expect(valid).toBe(true);
    expect(issuer.asked).toEqual(['/keys']);
  });

  it.each(['RS256', 'PS256', 'ES384', 'EdDSA'])('may be signed with %s', async (alg) => {
    const key = await signingKey('other', alg);
    issuer.keys.push(key);
    expect(await verify(await token({ key }))).toMatchObject({ valid: true });
  });

  it.each([{}, { typ: 'JWT' }, { typ: 'jwt' }, { typ: 'application/at+jwt' }])(
    'may be of the type $typ',
    async ({ typ }) => {
      expect(await verify(await token({ header: { typ } }))).toMatchObject({ valid: true });
    },
  );

  it('may have other claims, and scopes as a list', async () => {
    const rules: Partial<TokenRules> = {
      tenantClaim: 'https://acme.example/org',
      scopeClaim: 'roles',
      scopeMap: [
        ['reader', 'jobs:read'],
        ['admin', 'jobs:read'],
        ['admin', 'ops'],
      ],
    };
    const claims = {
      'https://acme.example/org': 'beta-7',
      roles: ['admin', 'reader', 'jobs:write', 7],
    };

    expect(await verifier(rules)(await token({ claims }))).toMatchObject({
      tenantId: 'beta-7',
      scopes: ['jobs:read', 'ops'],
    });
  });

  it('may have no scope', async () => {
    expect(await verify(await token({ claims: { scope: undefined } }))).toMatchObject({
      valid: true,
      scopes: [],
    });
  });
});

describe('a token is refused', () => {
  it.each<{ name: string; parts: () => TokenParts }>([
    { name: 'after its end and the tolerance', parts: () => ({ now: now / 1_000 - 91 }) },
    { name: 'before its time', parts: () => ({ claims: { nbf: now / 1_000 + 31 } }) },
    { name: 'without an end', parts: () => ({ claims: { exp: undefined } }) },
    { name: 'of another issuer', parts: () => ({ claims: { iss: 'https://evil.example' } }) },
    { name: 'for another audience', parts: () => ({ claims: { aud: 'elsewhere' } }) },
    { name: 'without an audience', parts: () => ({ claims: { aud: undefined } }) },
    { name: 'without a tenant', parts: () => ({ claims: { tenant: undefined } }) },
    { name: 'with a tenant id that is none', parts: () => ({ claims: { tenant: 'Acme/1' } }) },
    { name: 'with several tenants', parts: () => ({ claims: { tenant: ['acme', 'beta'] } }) },
    { name: 'of a type for another purpose', parts: () => ({ header: { typ: 'logout+jwt' } }) },
  ])('$name', async ({ parts }) => {
    expect(await verify(await token(parts()))).toMatchObject({ valid: false });
  });

  it('within the tolerance it is good still', async () => {
    expect(await verify(await token({ now: now / 1_000 - 89 }))).toMatchObject({ valid: true });
  });

  it('that was changed after it was signed', async () => {
    const [header, , signature] = (await token()).split('.');
    const payload = base64url.encode(
      JSON.stringify({ iss: issuer.url, aud: AUDIENCE, tenant: 'beta', exp: now / 1_000 + 60 }),
    );
    expect(await verify([header, payload, signature].join('.'))).toMatchObject({ valid: false });
  });

  it('that says it needs no signature, before any key is fetched', async () => {
    const [, payload = ''] = (await token()).split('.');
    const header = base64url.encode('{"alg":"none","typ":"at+jwt"}');
    for (const signature of ['', 'AAAA']) {
      expect(await verify([header, payload, signature].join('.'))).toMatchObject({ valid: false });
    }
    expect(issuer.asked).toEqual([]);
  });

  it('that is signed with the public key as if that were a secret', async () => {
    const [key] = issuer.keys;
    const secret = new TextEncoder().encode(JSON.stringify(key?.publicJwk));
    const forged = await new SignJWT({ iss: issuer.url, aud: AUDIENCE, tenant: 'acme' })
      .setProtectedHeader({ alg: 'HS256', kid: 'first', typ: 'at+jwt' })
      .setExpirationTime(now / 1_000 + 60)
      .sign(secret);

    expect(await verify(forged)).toMatchObject({
      valid: false,
      because: expect.stringContaining('ERR_JOSE_ALG_NOT_ALLOWED'),
    });
    expect(issuer.asked).toEqual([]);
  });

  it('that brings its own key', async () => {
    const own = await signingKey('first');
    const header = { jwk: own.publicJwk, kid: 'first' };
    expect(await verify(await token({ key: own, header }))).toMatchObject({ valid: false });
  });

  it.each(['a.b.c', 'eyJhbGciOiJFUzI1NiJ9.e30.AAAA'])('that is none: %s', async (text) => {
    expect(await verify(text)).toMatchObject({ valid: false });
  });
});

describe('keys of the issuer', () => {
  it('are read again once for a key id that is not known', async () => {
    await verify(await token());
    const unknown = await signingKey('unknown');

    expect(await verify(await token({ key: unknown }))).toMatchObject({ valid: false });

    expect(fetches('/keys')).toBe(2);
  });

  it('are not read again for each made-up key id', async () => {
    verify = verifier({}, 30_000);
    await verify(await token());
    for (const kid of ['a', 'b', 'c']) {
      expect(await verify(await token({ header: { kid } }))).toMatchObject({ valid: false });
    }
    expect(fetches('/keys')).toBe(1);
  });

  it('may change: tokens of the new one are good at once, of the old one no more', async () => {
    const old = await token();
    await verify(old);
    const next = await signingKey('next');
    issuer.keys = [next];

    expect(await verify(await token({ key: next }))).toMatchObject({ valid: true });
    expect(await verify(old)).toMatchObject({ valid: false });
  });

  it('that cannot be had say nothing against the token', async () => {
    issuer.failWith = 503;
    await expect(verify(await token())).rejects.toThrow('cannot be had');
    issuer.failWith = undefined;
    now += 4_999;
    await expect(verify(await token())).rejects.toThrow('cannot be had');
    now += 1;
    expect(await verify(await token())).toMatchObject({ valid: true });
  });

  it('are good for an hour more while the issuer is down, but not for tokens of other keys', async () => {
    await verify(await token());
    issuer.failWith = 500;
    const unknown = await signingKey('unknown');

    await expect(verify(await token({ key: unknown }))).rejects.toThrow('cannot be had');
    now += 4_000;
    expect(await verify(await token())).toMatchObject({ valid: true });
    now += HOUR_MS;
    await expect(verify(await token({ key: unknown }))).rejects.toThrow('cannot be had');
    await expect(verify(await token())).rejects.toThrow('cannot be had');
  });

  it('are not taken from an issuer that answers for another one', async () => {
    issuer.discovery = { issuer: 'https://other.example' };
    await expect(verify(await token())).rejects.toThrow('cannot be had');
  });

  it('come by https only, or from this machine where that is allowed', async () => {
    issuer.discovery = { jwks_uri: 'http://192.0.2.1/keys' };
    await expect(verify(await token())).rejects.toMatchObject({
      cause: { message: expect.stringContaining('192.0.2.1') },
    });
    const strict = verifier({ allowLoopback: false, jwksUrl: `${issuer.url}/keys` });
    await expect(strict(await token())).rejects.toMatchObject({
      cause: { message: expect.stringContaining('https only') },
    });
    expect(fetches('/keys')).toBe(0);
  });

  it('that are for encryption, or secrets, sign nothing', async () => {
    const [key] = issuer.keys;
    if (key === undefined) throw new Error('the issuer has a key');
    issuer.keys = [{ ...key, publicJwk: { ...key.publicJwk, use: 'enc' } }];
    expect(await verify(await token())).toMatchObject({ valid: false });

    const secret = await importJWK({ kty: 'oct', k: base64url.encode('s'.repeat(32)) }, 'HS256');
    const symmetric = { ...key, publicJwk: { ...(await exportJWK(secret)), kid: 'first' } };
    issuer.keys = [symmetric];
    expect(await verifier()(await token())).toMatchObject({ valid: false });
  });
});
