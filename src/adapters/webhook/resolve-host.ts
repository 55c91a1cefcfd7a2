import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type AddressRules, isAllowedAddress } from './allowed-address.ts';

export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name. */
export type Resolve = (name: string) => Promise<readonly HostAddress[]>;

export const systemResolve: Resolve = (name) => lookup(name, { all: true });

/**
 * The addresses that a host may be reached at. One that is not allowed among them refuses the host: whoever answers with
 * both would only have to wait for the other to be chosen.
 * @throws Error for a name without an address, or with one that is not public
 */
export async function resolveHost(
  host: string,
  resolve: Resolve,
  rules: AddressRules,
): Promise<readonly HostAddress[]> {
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (addresses.length === 0) throw new Error('the name has no address');
  if (!addresses.every(({ address }) => isAllowedAddress(address, rules))) {
    throw new Error('the name has an address that is not public: nothing was sent');
  }
  return addresses;
}
