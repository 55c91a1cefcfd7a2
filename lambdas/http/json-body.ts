import type { APIGatewayProxyEvent } from 'aws-lambda';
import { findInexactInteger, inexactMessage } from '../../src/agent/exact-integer.ts';
import { jsonFault } from '../../src/core/job/json-fault.ts';
import { findUnstorable, type JsonFault } from '../../src/core/job/storable-json.ts';
import { LIMITS } from '../../src/protocol/limits.ts';
import { jsonPointer } from './json-pointer.ts';
import { RequestRefused } from './request-refused.ts';

export interface JsonBodyOptions {
  readonly limitBytes: number;
  /** What to do about a body above the limit. */
  readonly advice: string;
  /** Stands for a body that is left out. Default: it may not be. */
  readonly whenEmpty?: object;
}

/**
 * JSON of a request body.
 * @throws RequestRefused `payload_too_large`, `malformed_json`, or `invalid_request` for JSON that cannot be kept as sent
 */
export function jsonBodyOf(event: APIGatewayProxyEvent, options: JsonBodyOptions): unknown {
  const text = event.isBase64Encoded
    ? Buffer.from(event.body ?? '', 'base64').toString('utf8')
    : (event.body ?? '');
  checkSize(Buffer.byteLength(text, 'utf8'), options);
  if (options.whenEmpty !== undefined && text.trim() === '') return options.whenEmpty;
  const value = parse(text);
  checkStorable(value, text);
  return value;
}

function checkSize(bytes: number, { limitBytes: maximum, advice }: JsonBodyOptions): void {
  if (bytes <= maximum) return;
  throw new RequestRefused(
    'payload_too_large',
    `the body has ${bytes} bytes, the limit is ${maximum}: ${advice}`,
    { limit: { maximum, actual: bytes, unit: 'bytes' } },
  );
}

function parse(text: string): unknown {
  if (text.trim() === '') {
    throw new RequestRefused('malformed_json', 'the body is empty: send JSON');
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new RequestRefused('malformed_json', jsonFault(error));
  }
}

/** What JavaScript would change without a word, or choke on later, is refused here. */
function checkStorable(value: unknown, text: string): void {
  const fault = findUnstorable(value, LIMITS.nesting) ?? inexactInteger(text);
  if (fault === undefined) return;
  const { message } = fault;
  const pointer = jsonPointer(fault.path);
  throw new RequestRefused('invalid_request', `${pointer || 'the body'}: ${message}`, {
    errors: [{ pointer, message }],
  });
}

function inexactInteger(text: string): JsonFault | undefined {
  const number = findInexactInteger(text);
  return number === undefined ? undefined : { path: [], message: inexactMessage(number) };
}
