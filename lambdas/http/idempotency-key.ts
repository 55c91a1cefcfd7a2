import type { APIGatewayProxyEvent } from 'aws-lambda';
import { LIMITS } from '../../src/protocol/limits.ts';
import { headerValues } from './request.ts';
import { RequestRefused } from './request-refused.ts';

const IDEMPOTENCY_KEY_HEADER = 'idempotency-key';
const HEADER = 'the header Idempotency-Key';

/** Structured-field string (RFC 8941): printable ASCII in quotes, `"` and `\` escaped by `\`. */
const QUOTED = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
/** No comma: a header sent twice may arrive as one, joined by commas. */
const BARE = /^[\x20-\x21\x23-\x2b\x2d-\x7e]+$/;

/**
 * The key of a request: `"k"` (as the IETF draft writes it) and `k` are the same.
 * @throws RequestRefused `invalid_idempotency_key`
 */
export function idempotencyKeyOf(event: APIGatewayProxyEvent): string | undefined {
  const values = headerValues(event, IDEMPOTENCY_KEY_HEADER);
  if (values.length === 0) return undefined;
  if (values.length > 1) throw invalid(HEADER, 'is sent more than once: send one');
  return parseIdempotencyKey(values[0] ?? '');
}

/** @throws RequestRefused `invalid_idempotency_key` */
export function parseIdempotencyKey(value: string, where = HEADER): string {
  const text = value.replace(/^[ \t]+|[ \t]+$/g, '');
  const key = QUOTED.exec(text)?.[1]?.replace(/\\(["\\])/g, '$1') ?? text;
  if (key === '') throw invalid(where, 'is empty: leave it out, or send 1 to 255 characters');
  if (key === text && !BARE.test(text)) {
    throw invalid(
      where,
      'must be printable ASCII: bare without quotes and commas, or one quoted string',
    );
  }
  if (key.length > LIMITS.idempotencyKeyCharacters) {
    throw invalid(where, `is longer than ${LIMITS.idempotencyKeyCharacters} characters`, {
      limit: {
        maximum: LIMITS.idempotencyKeyCharacters,
        actual: key.length,
        unit: 'characters',
      },
    });
  }
  return key;
}

function invalid(
  where: string,
  what: string,
  facts: ConstructorParameters<typeof RequestRefused>[2] = {},
): RequestRefused {
  return new RequestRefused('invalid_idempotency_key', `${where} ${what}`, facts);
}
