import { isIP } from 'node:net';
import { type AddressRules, isAllowedAddress } from './allowed-address.ts';

export type UrlCheck =
  | { readonly allowed: true; readonly url: URL }
  /** What is wrong with it and what is allowed, without the URL itself. */
  | { readonly allowed: false; readonly reason: string };

const HTTPS_PORT = 443;
/** Below it are the services of a machine: mail, ssh, … */
const FIRST_FREE_PORT = 1_024;

/** Whether a URL has a form that webhooks are sent to. The addresses of its name are checked when one is sent. */
export function checkUrl(text: string, rules: AddressRules): UrlCheck {
  if (!URL.canParse(text)) return refused('is not an absolute URL');
  const url = new URL(text);
  const host = hostOf(url);
  const isLocal = rules.allowLoopback && isLoopback(host, rules);
  if (url.protocol !== 'https:' && !(isLocal && url.protocol === 'http:')) {
    return refused(`is ${url.protocol.replace(':', '')}: webhooks are sent by https only`);
  }
  if (url.username !== '' || url.password !== '') {
    return refused('has credentials in it: receivers verify the signature instead');
  }
  const port = url.port === '' ? HTTPS_PORT : Number(url.port);
  if (!isLocal && port !== HTTPS_PORT && port < FIRST_FREE_PORT) {
    return refused(
      `has the port ${port}: allowed are ${HTTPS_PORT} and ${FIRST_FREE_PORT} to 65535`,
    );
  }
  if (isIP(host) !== 0 && !isAllowedAddress(host, rules)) {
    return refused('has an address that is not public');
  }
  if (isIP(host) === 0 && !isLocal && isLocalName(host)) {
    return refused('has a name that only this machine or its network knows');
  }
  return { allowed: true, url };
}

/** Without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function isLoopback(host: string, rules: AddressRules): boolean {
  if (host === 'localhost') return true;
  return isIP(host) !== 0 && isAllowedAddress(host, rules) && !isAllowedAddress(host, PUBLIC_ONLY);
}

const PUBLIC_ONLY: AddressRules = { allowLoopback: false };

/** RFC 6761 and what networks use for themselves; a dot at the end makes no difference. */
function isLocalName(host: string): boolean {
  const name = host.replace(/\.$/, '');
  return !name.includes('.') || /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/.test(name);
}

function refused(reason: string): UrlCheck {
  return { allowed: false, reason };
}
