import type { APIGatewayProxyEvent } from 'aws-lambda';
import { LIMITS } from '../../src/protocol/limits.ts';
import { jsonPointer } from './json-pointer.ts';
import { RequestRefused } from './request-refused.ts';

/**
 * JSON of a request body.
 * @throws RequestRefused `payload_too_large`, `malformed_json`, or `invalid_request` for JSON that cannot be kept as sent
 */
export function jsonBodyOf(event: APIGatewayProxyEvent): unknown {
  const text = event.isBase64Encoded
    ? Buffer.from(event.body ?? '', 'base64').toString('utf8')
    : (event.body ?? '');
  checkSize(Buffer.byteLength(text, 'utf8'));
  const value = parse(text);
  checkStorable(value, []);
  return value;
}

function checkSize(bytes: number): void {
  if (bytes <= LIMITS.bodyBytes) return;
  throw new RequestRefused(
    'payload_too_large',
    `the body has ${bytes} bytes, the limit is ${LIMITS.bodyBytes} (2 MiB): keep the input smaller, or pass the address of a document that the agent fetches`,
    { limit: { maximum: LIMITS.bodyBytes, actual: bytes, unit: 'bytes' } },
  );
}

function parse(text: string): unknown {
  if (text.trim() === '') {
    throw new RequestRefused('malformed_json', 'the body is empty: send a JSON object');
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
