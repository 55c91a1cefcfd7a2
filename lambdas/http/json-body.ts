import type { APIGatewayProxyEvent } from 'aws-lambda';
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
  checkStorable(value, []);
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
    throw new RequestRefused('malformed_json', (error as Error).message);
  }
}

/** What JavaScript would change without a word, or choke on later, is refused here. */
function checkStorable(value: unknown, path: PropertyKey[]): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw unstorable(path, 'the number is beyond the range of a double: send it as text');
  }
  if (typeof value !== 'object' || value === null) return;
  if (path.length >= LIMITS.nesting) {
    throw unstorable(path, `nested deeper than ${LIMITS.nesting} levels`);
  }
  for (const name of Object.keys(value)) {
    if (name === '__proto__') throw unstorable(path, 'the field name __proto__ is not allowed');
    path.push(name);
    checkStorable((value as Record<string, unknown>)[name], path);
    path.pop();
  }
}

function unstorable(path: readonly PropertyKey[], message: string): RequestRefused {
  const pointer = jsonPointer(path);
  return new RequestRefused('invalid_request', `${pointer}: ${message}`, {
    errors: [{ pointer, message }],
  });
}
