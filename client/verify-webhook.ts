import { WebhookVerificationError } from './errors.ts';

/** Headers of a request, as `fetch`, Node or a framework hold them. */
export type WebhookHeaders =
  Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** What counts as recent. */
export interface VerifyWebhookOptions {
  /**
   * How old a webhook may be, and how far ahead its clock: an older one may be somebody's recording.
   * @default 300
   */
  readonly toleranceSeconds?: number;
  /** Epoch milliseconds. @default - now */
  readonly now?: number;
}

/** A webhook that Longhaul has sent. */
export interface VerifiedWebhook<Payload = unknown> {
  /** The same each time a delivery is tried again: do the work once per id. */
  readonly id: string;
  readonly sentAt: Date;
  /** Its body, parsed. */
  readonly payload: Payload;
}

const TOLERANCE_SECONDS = 300;
const PREFIX = 'whsec_';

/**
 * Checks a webhook by the rules of Standard Webhooks: signed by one of the secrets, and not older than five minutes.
 *
 * @param secrets - the endpoint's secret, or the new and the old one while it is rotated
 * @param headers - of the request
 * @param body - of the request, exactly as it came: JSON that was parsed and written again has other bytes
 * @throws WebhookVerificationError when it is not to be trusted
 *
 * @example
 * ```ts
 * const { id, payload } = await verifyWebhook(secret, request.headers, await request.text());
 * ```
 */
export async function verifyWebhook<Payload = unknown>(
  secrets: string | readonly string[],
  headers: WebhookHeaders,
  body: string | Uint8Array,
  options: VerifyWebhookOptions = {},
): Promise<VerifiedWebhook<Payload>> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = signaturesOf(headerOf(headers, 'webhook-signature'));
  const sentAt = checkedTime(timestamp, options);
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  for (const secret of [secrets].flat()) {
    const key = await keyOf(secret);
    for (const signature of signatures) {
      // The comparison is the platform's own, which takes the same time wherever two signatures differ.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) {
        return { id, sentAt, payload: payloadOf(bytes) as Payload };
      }
    }
  }
  throw new WebhookVerificationError('no signature is one of the secrets given');
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const text = typeof value === 'string' ? value : value?.join(' ');
  if (text === undefined || text === '') {
    throw new WebhookVerificationError(`the header ${name} is missing`);
  }
  return text;
}

function checkedTime(
  timestamp: string,
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() }: VerifyWebhookOptions,
): Date {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('webhook-timestamp is not a number of seconds');
  }
  const ageSeconds = Math.floor(now / 1_000) - Number(timestamp);
  if (Math.abs(ageSeconds) > toleranceSeconds) {
    const where = ageSeconds > 0 ? 'old' : 'ahead';
    throw new WebhookVerificationError(
      `the webhook is ${Math.abs(ageSeconds)} s ${where}: more than ${toleranceSeconds} s are not accepted`,
    );
  }
  return new Date(Number(timestamp) * 1_000);
}

/** Those of the symmetric scheme; others stand beside them while a sender changes schemes. */
function signaturesOf(header: string): Uint8Array<ArrayBuffer>[] {
  return header
    .split(' ')
    .filter((entry) => entry.startsWith('v1,'))
    .flatMap((entry) => bytesOfBase64(entry.slice('v1,'.length)) ?? []);
}

async function keyOf(secret: string) {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
  const bytes = bytesOfBase64(encoded);
  // A mistake of the receiver's own set-up, and no reason to refuse the sender: not a WebhookVerificationError.
  if (bytes === undefined || bytes.length === 0) {
    throw new TypeError('the secret is not whsec_ and base64, as it was given out');
  }
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

function payloadOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch (error) {
    throw new WebhookVerificationError(
      `the body is signed, but no JSON: ${error instanceof Error ? error.message : ''}`,
    );
  }
}
