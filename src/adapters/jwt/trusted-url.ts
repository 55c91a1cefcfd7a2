const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];

/**
 * An address that keys may come from: whoever answers there decides who gets in. So https, or this very machine where that is
 * allowed.
 * @throws Error naming the address
 */
export function trustedUrl(
  address: string,
  { allowLoopback }: { readonly allowLoopback: boolean },
): URL {
  const url = new URL(address);
  if (url.protocol === 'https:') return url;
  if (allowLoopback && url.protocol === 'http:' && LOOPBACK.includes(url.hostname)) return url;
  throw new Error(`keys are fetched by https only, not from ${address}`);
}
