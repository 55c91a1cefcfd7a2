import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { newWebhookSecret } from '../../../src/adapters/webhook/new-secret.ts';
import { retryAfterMs } from '../../../src/adapters/webhook/retry-after.ts';
import { signatureHeaders } from '../../../src/adapters/webhook/sign.ts';
import { NOON } from '../../support/builders.ts';

const timestamp = (): number => Math.floor(Date.now() / 1_000);

describe('the signature of a webhook', () => {
  it('is what the library of Standard Webhooks takes for genuine, with text beyond ASCII', () => {
    const secret = newWebhookSecret();
    const body = JSON.stringify({ type: 'job.succeeded', name: 'Zoë 🚀' });

    const headers = signatureHeaders({ id: 'msg_1', timestamp: timestamp(), body }, [secret]);

    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
    expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow();
  });

  it('is one for each secret, so that either verifies during a rotation', () => {
    const [newer, older] = [newWebhookSecret(), newWebhookSecret()];
    const headers = signatureHeaders({ id: 'msg_1', timestamp: timestamp(), body: '{}' }, [
      newer,
      older,
    ]);

    expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    for (const secret of [newer, older]) {
      expect(new Webhook(secret).verify('{}', headers)).toEqual({});
    }
  });

  it('is made with 256 random bits', () => {
    const secrets = Array.from({ length: 100 }, newWebhookSecret);
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    }
  });
});

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    [' 7 ', 7_000],
    [new Date(NOON + 90_000).toUTCString(), 90_000],
    [new Date(NOON - 90_000).toUTCString(), 0],
    ['-5', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['2030-01-01', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%j is %j ms', (header, expected) => {
    expect(retryAfterMs(header, NOON)).toBe(expected);
  });
});
