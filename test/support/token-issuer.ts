import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: Parameters<SignJWT['sign']>[0];
  readonly publicJwk: JWK;
}

/** An issuer of tokens on this machine, with discovery document and keys. */
export interface TokenIssuer {
  readonly url: string;
  /** Paths that were asked for. */
  readonly asked: string[];
  /** What it publishes. */
  keys: SigningKey[];
  /** Set, it answers everything with this status. */
  failWith: number | undefined;
  /** What its discovery document says, besides or instead of the usual. */
  discovery: Record<string, unknown>;
  /** A token for tenant `acme` that is good for a minute, but for what is said. */
  token(parts?: TokenParts): Promise<string>;
  stop(): Promise<void>;
}

export interface TokenParts {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Record<string, unknown>;
  readonly key?: SigningKey;
  /** Epoch seconds. */
  readonly now?: number;
}

export const AUDIENCE = 'https://longhaul.example';

export async function startTokenIssuer(): Promise<TokenIssuer> {
  const first = await signingKey('first');
  const server = createServer((request, response) => {
    answer(issuer, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer: TokenIssuer = {
    url,
    asked: [],
    keys: [first],
    failWith: undefined,
    discovery: {},
    token: ({ claims, header, key = first, now = Math.floor(Date.now() / 1_000) } = {}) =>
      new SignJWT({
        iss: url,
        aud: AUDIENCE,
        sub: 'somebody',
        tenant: 'acme',
        scope: 'jobs:read jobs:write',
        iat: now,
        exp: now + 60,
        ...claims,
      })
        .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header })
        .sign(key.privateKey),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return issuer;
}

export async function signingKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg);
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg } };
}

function answer(
  issuer: TokenIssuer,
  { url = '' }: IncomingMessage,
  response: ServerResponse,
): void {
  issuer.asked.push(url);
  const documents: Record<string, unknown> = {
    '/.well-known/openid-configuration': {
      issuer: issuer.url,
      jwks_uri: `${issuer.url}/keys`,
      ...issuer.discovery,
    },
    '/keys': { keys: issuer.keys.map(({ publicJwk }) => publicJwk) },
  };
  const status = issuer.failWith ?? (url in documents ? 200 : 404);
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(documents[url] ?? {}));
}
