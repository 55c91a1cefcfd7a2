import ipaddr from 'ipaddr.js';

/** Whether connections to loopback are allowed: in the local runtime only. */
export interface AddressRules {
  readonly allowLoopback: boolean;
}

/** All unicast addresses of IPv6 that anybody has been given so far. What is outside may reach an IPv4 network by translation. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether a webhook may be sent to an address: only to what is public. Private, link-local and shared networks, the metadata
 * services of a cloud among them, are where a server has access and its callers do not.
 */
export function isAllowedAddress(address: string, { allowLoopback }: AddressRules): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (allowLoopback && parsed.range() === 'loopback') return true;
  // `unicast` is what is in none of the special ranges: mapped, translated and tunnelled addresses are in one of their own.
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv6 ? parsed.match(GLOBAL_UNICAST) : true;
}
