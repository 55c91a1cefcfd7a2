import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type AddressRules, isAllowedAddress } from './allowed-address.ts';

export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name. */
export type Resolve = (name: string) => Promise<readonly HostAddress[]>;

/** First limit of one question, which doubles: two of them stay within the time of a try. */
const DNS = { timeout: 3_000, tries: 2 };

/**
 * Asks the name servers itself. `lookup` would ask by one of four threads, which all other names of the process have to wait for,
 * those of AWS among them, while a name server of a receiver takes its time.
 */
export function dnsResolve(servers?: readonly string[]): Resolve {
  return async (name) => {
    const resolver = new Resolver(DNS);
    if (servers !== undefined) resolver.setServers(servers);
    const [ipv4, ipv6] = await Promise.allSettled([
      resolver.resolve4(name),
      resolver.resolve6(name),
    ]);
    // A name that has addresses of one kind has none of the other, which is an error.
    if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason as Error;
    return [...addressesOf(ipv4, 4), ...addressesOf(ipv6, 6)];
  };
}

function addressesOf(found: PromiseSettledResult<string[]>, family: number): HostAddress[] {
  return found.status === 'fulfilled' ? found.value.map((address) => ({ address, family })) : [];
}

const askServers = dnsResolve();

/** The name of this machine is known to no name server. */
export const systemResolve: Resolve = (name) =>
  name === 'localhost' ? lookup(name, { all: true }) : askServers(name);

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
