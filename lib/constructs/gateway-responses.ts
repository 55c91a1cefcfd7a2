import { type GatewayResponseOptions, ResponseType } from 'aws-cdk-lib/aws-apigateway';
import type { LonghaulConfig } from '../config.ts';
import { LIMITS } from '../../src/protocol/limits.ts';
import { PROBLEM_MEDIA_TYPE, type Problem, problemType } from '../../src/protocol/problem.ts';

interface Refusal {
  readonly type: ResponseType;
  readonly status: number;
  readonly title: string;
  readonly code: string;
  readonly detail: string;
  /** In API Gateway's notation: text in quotes. */
  readonly headers?: Readonly<Record<string, string>>;
}

const READABLE = {
  'Access-Control-Allow-Origin': "'*'",
  'Access-Control-Expose-Headers': "'retry-after, x-request-id'",
} as const;

const unauthorized = {
  status: 401,
  title: 'No valid API key or token',
  code: 'unauthorized',
  detail: 'send the header Authorization: Bearer with an API key or a token that is valid',
  headers: { 'WWW-Authenticate': "'Bearer'" },
} as const;
const notFound = {
  status: 404,
  title: 'Not found',
  code: 'not_found',
  detail: 'there is no such route',
} as const;
const invalid = {
  status: 400,
  title: 'The request does not have the expected form',
  code: 'invalid_request',
} as const;
const throttled = {
  status: 429,
  title: 'Too many requests',
  code: 'throttled',
  detail: 'the API takes no more requests at the moment: try again after a second',
  headers: { 'Retry-After': "'1'" },
} as const;
const internal = {
  status: 500,
  title: 'Internal error',
  code: 'internal_error',
  detail: 'the logs have more under the requestId',
} as const;
const unavailable = {
  status: 503,
  title: 'Temporarily unavailable',
  code: 'unavailable',
  headers: { 'Retry-After': "'2'" },
} as const;

/** Every refusal API Gateway can give by itself, in the words of the handlers' problems. */
const REFUSALS: readonly Refusal[] = [
  { type: ResponseType.UNAUTHORIZED, ...unauthorized },
  // A policy that denies: only for a bad key, since scopes are checked in the handlers. API Gateway would say 403.
  { type: ResponseType.ACCESS_DENIED, ...unauthorized },
  { type: ResponseType.INVALID_API_KEY, ...unauthorized },
  { type: ResponseType.EXPIRED_TOKEN, ...unauthorized },
  { type: ResponseType.INVALID_SIGNATURE, ...unauthorized },
  { type: ResponseType.MISSING_AUTHENTICATION_TOKEN, ...notFound },
  { type: ResponseType.RESOURCE_NOT_FOUND, ...notFound },
  { type: ResponseType.BAD_REQUEST_BODY, ...invalid, detail: 'this route takes another body' },
  {
    type: ResponseType.BAD_REQUEST_PARAMETERS,
    ...invalid,
    detail: 'this route takes other parameters',
  },
  {
    type: ResponseType.UNSUPPORTED_MEDIA_TYPE,
    ...invalid,
    detail: 'the body must be application/json',
  },
  { type: ResponseType.WAF_FILTERED, ...invalid, detail: 'a firewall refused the request' },
  { type: ResponseType.DEFAULT_4XX, ...invalid, detail: 'the API refused the request' },
  {
    type: ResponseType.REQUEST_TOO_LARGE,
    status: 413,
    title: 'The body is too large',
    code: 'payload_too_large',
    detail: `the limit is ${LIMITS.bodyBytes} bytes: keep the input smaller, or pass the address of a document that the agent fetches`,
  },
  { type: ResponseType.THROTTLED, ...throttled },
  { type: ResponseType.QUOTA_EXCEEDED, ...throttled },
  {
    // It could not tell: the table of keys, or the issuer of tokens, did not answer. A 401 would make callers throw good keys away.
    type: ResponseType.AUTHORIZER_FAILURE,
    ...unavailable,
    detail: 'nobody could tell whether the key or token is valid: try again',
  },
  { type: ResponseType.AUTHORIZER_CONFIGURATION_ERROR, ...internal },
  { type: ResponseType.DEFAULT_5XX, ...internal },
  // What Lambda refuses for lack of concurrency is a "configuration error" to API Gateway, or an integration failure: its
  // documentation names neither. An integration that is wrong for good would show with the first request after a deploy.
  {
    type: ResponseType.API_CONFIGURATION_ERROR,
    ...unavailable,
    detail:
      'the function behind this route takes no more requests at the moment: try again, and instead of a stream poll the job',
  },
  {
    type: ResponseType.INTEGRATION_FAILURE,
    ...unavailable,
    detail: 'the function behind this route did not answer: try again',
  },
  {
    type: ResponseType.INTEGRATION_TIMEOUT,
    ...unavailable,
    detail: 'the function behind this route did not answer in time: try again',
  },
];

/**
 * Gateway responses in the shape of the handlers' problems, with the headers these have. Scripts of any page may read them where some
 * may call the API: they tell nothing of a tenant, and API Gateway compares no origins.
 */
export function gatewayResponses({
  corsOrigins,
}: Pick<LonghaulConfig, 'corsOrigins'>): readonly GatewayResponseOptions[] {
  return REFUSALS.map(({ type, headers, ...problem }) => ({
    type,
    statusCode: String(problem.status),
    responseHeaders: {
      'Content-Type': `'${PROBLEM_MEDIA_TYPE}'`,
      'Cache-Control': "'no-store'",
      'x-request-id': 'context.requestId',
      ...(corsOrigins !== '' && READABLE),
      ...headers,
    },
    // API Gateway renders the template of this key, whatever the request accepts; the header above corrects its type.
    templates: { 'application/json': JSON.stringify(body(problem)) },
  }));
}

function body({ code, title, status, detail }: Omit<Refusal, 'type' | 'headers'>): Problem {
  return { type: problemType(code), title, status, detail, code, requestId: '$context.requestId' };
}
