import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, type WebhookHeaders } from '../../../client/verify-webhook.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const SECRET = newSecret();
const ID = 'dlv_1';
const BODY = '{"type":"job.succeeded","data":{"jobId":"job_1","note":"größer"}}';

/** Signed by an implementation that is not ours. */
function signed(secret = SECRET, at = new Date(), body = BODY): Record<string, string> {
  return {
    'webhook-id': ID,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(ID, at, body),
  };
}

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);
const refused = (headers: WebhookHeaders, body = BODY) =>
  expect(verifyWebhook(SECRET, headers, body)).rejects.toMatchObject({
    name: 'WebhookVerificationError',
    code: 'invalid_webhook',
  });

describe('verifyWebhook', () => {
  it('gives the payload of what the standardwebhooks package has signed', async () => {
    const { id, sentAt, payload } = await verifyWebhook(SECRET, signed(), BODY);

    expect(id).toBe(ID);
    expect(Math.abs(Date.now() - sentAt.getTime())).toBeLessThan(60_000);
    expect(payload).toEqual(JSON.parse(BODY));
  });

  it('takes headers and bodies in the forms that servers hold them in', async () => {
    const upper = Object.fromEntries(
      Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), [value]]),
    );

    for (const headers of [new Headers(signed()), upper]) {
      const bytes = new TextEncoder().encode(BODY);
      expect((await verifyWebhook(SECRET, headers, bytes)).id).toBe(ID);
    }
  });

  it('takes either secret while one is rotated, on either side', async () => {
    const next = newSecret();
    expect((await verifyWebhook([next, SECRET], signed(), BODY)).id).toBe(ID);

    const both = signed();
    both['webhook-signature'] =
      `v1a,ed25519== v1,bm90aGluZw== ${signed(next)['webhook-signature'] ?? ''} ${both['webhook-signature'] ?? ''}`;
    expect((await verifyWebhook(SECRET, both, BODY)).id).toBe(ID);
  });

  it.each([
    { name: 'another secret', headers: signed(newSecret()) },
    { name: 'another body', headers: signed(), body: BODY.replace('job_1', 'job_2') },
    { name: 'another id', headers: { ...signed(), 'webhook-id': 'dlv_2' } },
    { name: 'another time', headers: { ...signed(SECRET, ago(60)), ...timeOf(signed()) } },
    { name: 'no id', headers: without('webhook-id') },
    { name: 'no time', headers: without('webhook-timestamp') },
    { name: 'no signature', headers: without('webhook-signature') },
    { name: 'a time that is no number', headers: { ...signed(), 'webhook-timestamp': '1e9' } },
    { name: 'a signature that is no base64', headers: signature('v1,ä$%') },
    { name: 'an empty signature', headers: signature('v1,') },
    { name: 'a part of the signature', headers: signature(signatureOf(signed()).slice(0, 20)) },
    {
      name: 'a scheme it does not know',
      headers: signature(`v9${signatureOf(signed()).slice(2)}`),
    },
    { name: 'a time too long ago', headers: signed(SECRET, ago(301)) },
    { name: 'a time too far ahead', headers: signed(SECRET, ago(-302)) },
  ])('refuses $name', async ({ headers, body }) => {
    await refused(headers, body);
  });

  it('lets the receiver say how old a webhook may be', async () => {
    const headers = signed(SECRET, ago(3_000));
    const options = { toleranceSeconds: 3_600 };
    expect((await verifyWebhook(SECRET, headers, BODY, options)).id).toBe(ID);
  });

  it('refuses what is signed and no JSON', async () => {
    await refused(signed(SECRET, new Date(), 'hello'), 'hello');
  });

  it('tells a mistake of its own set-up from a bad webhook', async () => {
    for (const secret of ['', 'whsec_', 'whsec_ä']) {
      await expect(verifyWebhook(secret, signed(), BODY)).rejects.toThrow(TypeError);
    }
  });
});

function without(name: string): Record<string, string> {
  const { [name]: _, ...others } = signed();
  return others;
}

function timeOf(headers: Record<string, string>): Record<string, string> {
  return { 'webhook-timestamp': headers['webhook-timestamp'] ?? '' };
}

function signature(value: string): Record<string, string> {
  return { ...signed(), 'webhook-signature': value };
}

function signatureOf(headers: Record<string, string>): string {
  return headers['webhook-signature'] ?? '';
}
