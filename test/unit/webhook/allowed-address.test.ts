import { describe, expect, it } from '@jest/globals';
import { isAllowedAddress } from '../../../src/adapters/webhook/allowed-address.ts';

const ONLY_PUBLIC = { allowLoopback: false };

describe('an address webhooks may be sent to', () => {
  it.each(['93.184.216.34', '1.1.1.1', '2606:2800:220:1:248:1893:25c8:1946', '2a00:1450::1'])(
    'is public: %s',
    (address) => {
      expect(isAllowedAddress(address, ONLY_PUBLIC)).toBe(true);
    },
  );

  it.each([
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['loopback', '::1'],
    ['unspecified', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['unspecified', '::'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['shared by carriers', '100.64.0.1'],
    ['shared by carriers', '100.127.255.255'],
    ['link-local', '169.254.0.1'],
    ['metadata of EC2', '169.254.169.254'],
    ['credentials of ECS', '169.254.170.2'],
    ['metadata of EC2', 'fd00:ec2::254'],
    ['unique local', 'fc00::1'],
    ['link-local', 'fe80::1'],
    ['site-local of old', 'fec0::1'],
    ['multicast', '224.0.0.1'],
    ['multicast', 'ff02::1'],
    ['broadcast', '255.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['assignments of protocols', '192.0.0.1'],
    ['for documents', '192.0.2.1'],
    ['for documents', '198.51.100.1'],
    ['for documents', '203.0.113.1'],
    ['for documents', '2001:db8::1'],
    ['for benchmarks', '198.18.0.1'],
    ['6to4 relays', '192.88.99.1'],
    ['mapped IPv4', '::ffff:127.0.0.1'],
    ['mapped IPv4', '::ffff:169.254.169.254'],
    ['mapped IPv4 that is public', '::ffff:1.1.1.1'],
    ['compatible IPv4', '::127.0.0.1'],
    ['translated IPv4', '::ffff:0:10.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['NAT64', '64:ff9b::a9fe:a9fe'],
    ['NAT64 of a network', '64:ff9b:1::a9fe:a9fe'],
    ['6to4', '2002:7f00:1::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['not given to anybody', '4000::1'],
    ['discard', '100::1'],
    ['a name', 'localhost'],
    ['nothing', ''],
  ])('is none that is %s: %s', (_kind, address) => {
    expect(isAllowedAddress(address, ONLY_PUBLIC)).toBe(false);
  });

  it('is loopback where that is allowed, and nothing else of the inside', () => {
    const rules = { allowLoopback: true };
    const allowed = ['127.0.0.1', '::1', '10.0.0.1', '169.254.169.254', '::ffff:127.0.0.1'].filter(
      (address) => isAllowedAddress(address, rules),
    );
    expect(allowed).toEqual(['127.0.0.1', '::1']);
  });
});
