import { FETCH_TIMEOUT_MS } from './fetch-limits.ts';

/**
 * Where an issuer publishes its keys, by OpenID Connect Discovery 1.0.
 * @throws Error when the issuer does not answer, or answers for another one
 */
export async function discoverKeys(issuer: string): Promise<string> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const answer = await fetch(address, {
    redirect: 'error',
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
  });
  if (answer.status !== 200) throw new Error(`${address} answered ${answer.status}`);
  const said = (await answer.json()) as { issuer?: unknown; jwks_uri?: unknown } | null;
  if (said?.issuer !== issuer) throw new Error(`${address} is not that of ${issuer}`);
  if (typeof said.jwks_uri !== 'string') throw new Error(`${address} names no jwks_uri`);
  return said.jwks_uri;
}
