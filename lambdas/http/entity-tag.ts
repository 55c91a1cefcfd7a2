import { createHash } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { JobRepresentation } from '../../src/protocol/job.ts';
import { RESULT_URL_SECONDS } from '../../src/protocol/limits.ts';
import { headerValues } from './request.ts';

/** A third: whoever is told that nothing has changed can use the address it has for a while yet. */
const URL_FRESH_MS = (RESULT_URL_SECONDS * 1_000) / 3;

/**
 * Changes whenever the job does, and now and then when it has a `resultUrl`: that is another one in each answer, and does not
 * last. Weak for the same reason.
 */
export function entityTag(job: JobRepresentation, now: number): string {
  const { resultUrl, resultUrlExpiresAt: _expiry, ...facts } = job;
  const urlAge = resultUrl === undefined ? undefined : Math.floor(now / URL_FRESH_MS);
  const digest = createHash('sha256').update(JSON.stringify([facts, urlAge]));
  return `W/"${digest.digest('base64url').slice(0, 22)}"`;
}

/** Whether `If-None-Match` names the tag: the caller has the answer already. */
export function isKnown(event: APIGatewayProxyEvent, tag: string): boolean {
  const known = headerValues(event, 'if-none-match').flatMap((value) => value.split(','));
  return known.some((one) => one.trim() === '*' || opaque(one) === opaque(tag));
}

/** Weak comparison (RFC 9110, 8.8.3.2). */
function opaque(tag: string): string {
  return tag.trim().replace(/^W\//, '');
}
