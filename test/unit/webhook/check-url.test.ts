import { describe, expect, it } from '@jest/globals';
import { checkUrl } from '../../../src/adapters/webhook/check-url.ts';

const ONLY_PUBLIC = { allowLoopback: false };
const LOCAL = { allowLoopback: true };

const isAllowed = (url: string, rules = ONLY_PUBLIC) => checkUrl(url, rules).allowed;

describe('a URL webhooks may be sent to', () => {
  it.each([
    'https://example.com/hook',
    'https://example.com:443/hook?token=1#part',
    'https://example.com:8443/hook',
    'https://93.184.216.34/',
    'https://[2606:2800:220:1:248:1893:25c8:1946]/',
    'https://EXAMPLE.com./',
    'https://bücher.example/',
  ])('is public https: %s', (url) => {
    expect(isAllowed(url)).toBe(true);
  });

  it.each([
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'example.com/hook',
    '',
    'https://user@example.com/',
    'https://user:secret@example.com/',
    'https://example.com:25/',
    'https://example.com:22/',
    'https://example.com:1023/',
    'https://localhost/',
    'https://localhost./',
    'https://app.localhost/',
    'https://metadata/',
    'https://metadata.google.internal/',
    'https://printer.local/',
    'https://nas.home.arpa/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://0/',
    'https://10.0.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[fd00:ec2::254]/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://%31%32%37.0.0.1/',
    'https://127。0。0。1/',
  ])('is not %s', (url) => {
    expect(isAllowed(url)).toBe(false);
  });

  it('is loopback by http and with any port where that is allowed', () => {
    const urls = [
      'http://127.0.0.1:80/',
      'http://localhost:3000/hook',
      'http://[::1]:9/',
      'https://127.0.0.1:8443/',
    ];
    expect(urls.filter((url) => isAllowed(url, LOCAL))).toEqual(urls);
    const others = [
      'http://example.com/',
      'http://10.0.0.1/',
      'http://169.254.169.254/',
      'http://user@127.0.0.1/',
    ];
    expect(others.filter((url) => isAllowed(url, LOCAL))).toEqual([]);
  });

  it('is refused without being repeated: it may hold a secret', () => {
    const check = checkUrl('https://user:secret@example.com/hook', ONLY_PUBLIC);
    expect(check).toMatchObject({ allowed: false });
    expect(JSON.stringify(check)).not.toContain('secret');
  });
});
