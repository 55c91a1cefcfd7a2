import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { HttpHandler } from './http-handler.ts';
import { REQUEST_ID_HEADER } from './http-response.ts';
import { headerValues, requestIdOf } from './request.ts';

/** Fetch standard: scripts of other origins may send these headers and read those, besides the few that are always allowed. */
const SENT = [
  'authorization',
  'content-type',
  'idempotency-key',
  'if-none-match',
  'last-event-id',
  'prefer',
  'traceparent',
];
const READ = [
  'allow',
  'etag',
  'idempotent-replayed',
  'location',
  'preference-applied',
  'retry-after',
  REQUEST_ID_HEADER,
];
/** Seconds that a browser remembers the answer: Chromium keeps none longer. */
const MAX_AGE_SECONDS = 7_200;
const ANY = '*';

type Headers = NonNullable<APIGatewayProxyResult['headers']>;

/** Lets scripts of web pages call a handler, if their origin is allowed; `*` allows all. Answers what browsers ask before. */
export function withCors(origins: readonly string[], handler: HttpHandler): HttpHandler {
  return async (event, context) => {
    const headers = corsHeaders(origins, event);
    if (headers === undefined) return handler(event, context);
    if (isPreflight(event)) return preflight(event, headers);
    const result = await handler(event, context);
    return { ...result, headers: allow(headers, result.headers) };
  };
}

/** Headers of an answer, with those that let the page read it. */
export function allowOrigin(
  origins: readonly string[],
  event: APIGatewayProxyEvent,
  headers: Headers,
): Headers {
  const cors = corsHeaders(origins, event);
  return cors === undefined ? headers : allow(cors, headers);
}

function allow(cors: Headers, headers: Headers = {}): Headers {
  const vary = [headers.vary, cors.vary].filter((value) => value !== undefined).join(', ');
  return { ...headers, ...cors, vary };
}

function corsHeaders(origins: readonly string[], event: APIGatewayProxyEvent): Headers | undefined {
  const [origin] = headerValues(event, 'origin');
  if (origin === undefined || !(origins.includes(ANY) || origins.includes(origin)))
    return undefined;
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': READ.join(', '),
    vary: 'origin',
  };
}

function isPreflight(event: APIGatewayProxyEvent): boolean {
  const asked = headerValues(event, 'access-control-request-method');
  return event.httpMethod === 'OPTIONS' && asked.length > 0;
}

function preflight(event: APIGatewayProxyEvent, headers: Headers): APIGatewayProxyResult {
  return {
    statusCode: 204,
    headers: {
      ...headers,
      'access-control-allow-methods': 'GET, POST, PUT, DELETE',
      'access-control-allow-headers': SENT.join(', '),
      'access-control-max-age': MAX_AGE_SECONDS,
      [REQUEST_ID_HEADER]: requestIdOf(event),
    },
    body: '',
  };
}
