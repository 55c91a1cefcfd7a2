import { createHmac } from 'node:crypto';

/** Secrets are `whsec_` and base64. */
const SECRET_PREFIX = 'whsec_';

export interface SignedContent {
  readonly id: string;
  /** Epoch seconds. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * The headers of the Standard Webhooks specification 1.0.0; during a rotation each secret signs.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signatureHeaders(
  { id, timestamp, body }: SignedContent,
  secrets: readonly string[],
): Record<string, string> {
  const content = `${id}.${timestamp}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => `v1,${macOf(content, secret)}`).join(' '),
  };
}

function macOf(content: string, secret: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return createHmac('sha256', key).update(content, 'utf8').digest('base64');
}
