import { type GatewayResponseOptions, ResponseType } from 'aws-cdk-lib/aws-apigateway';
import type { ErrorCode } from '../../src/errors.ts';

interface Refusal {
  readonly type: ResponseType;
  readonly status: number;
  readonly title: string;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const unauthorized = {
  status: 401,
  title: 'Unauthorized',
  code: 'unauthorized',
  detail: 'the Authorization header must be Bearer and a key that is known and not revoked',
  headers: { 'WWW-Authenticate': 'Bearer' },
} as const;
const notFound = {
  status: 404,
  title: 'Not Found',
  code: 'not_found',
  detail: 'no such route; GET /openapi.json lists them',
} as const;
const badRequest = { status: 400, title: 'Bad Request', code: 'invalid_request' } as const;
const throttled = {
  status: 429,
  title: 'Too Many Requests',
  code: 'throttled',
  detail: 'the API takes no more requests at the moment; send it again after a second',
  headers: { 'Retry-After': '1' },
} as const;
const internal = {
  status: 500,
  title: 'Internal Server Error',
  code: 'internal_error',
  detail: 'the request could not be served; send it again with the same Idempotency-Key',
} as const;

/** Every refusal API Gateway can give by itself, as this API words it. */
const REFUSALS: readonly Refusal[] = [
  { type: ResponseType.UNAUTHORIZED, ...unauthorized },
  // A policy that denies: only for a bad key, since scopes are checked in the handlers. API Gateway would say 403.
  { type: ResponseType.ACCESS_DENIED, ...unauthorized },
  { type: ResponseType.INVALID_API_KEY, ...unauthorized },
  { type: ResponseType.EXPIRED_TOKEN, ...unauthorized },
  { type: ResponseType.INVALID_SIGNATURE, ...unauthorized },
  { type: ResponseType.MISSING_AUTHENTICATION_TOKEN, ...notFound },
  { type: ResponseType.RESOURCE_NOT_FOUND, ...notFound },
  {
    type: ResponseType.BAD_REQUEST_BODY,
    ...badRequest,
    detail: 'the body is not what this route takes',
  },
  {
    type: ResponseType.BAD_REQUEST_PARAMETERS,
    ...badRequest,
    detail: 'a parameter is not what this route takes',
  },
  {
    type: ResponseType.UNSUPPORTED_MEDIA_TYPE,
    status: 415,
    title: 'Unsupported Media Type',
    code: 'invalid_request',
    detail: 'the body must be application/json',
  },
  {
    type: ResponseType.REQUEST_TOO_LARGE,
    status: 413,
    title: 'Content Too Large',
    code: 'payload_too_large',
    detail: 'the body is over the limit of 2 MiB; send large inputs by POST /uploads',
  },
  {
    type: ResponseType.WAF_FILTERED,
    status: 403,
    title: 'Forbidden',
    code: 'invalid_request',
    detail: 'the firewall of this deployment refused the request',
  },
  { type: ResponseType.THROTTLED, ...throttled },
  { type: ResponseType.QUOTA_EXCEEDED, ...throttled },
  { type: ResponseType.AUTHORIZER_FAILURE, ...internal },
  { type: ResponseType.AUTHORIZER_CONFIGURATION_ERROR, ...internal },
  { type: ResponseType.API_CONFIGURATION_ERROR, ...internal },
  {
    type: ResponseType.INTEGRATION_FAILURE,
    ...internal,
    status: 502,
    title: 'Bad Gateway',
    code: 'unavailable',
  },
  {
    type: ResponseType.INTEGRATION_TIMEOUT,
    ...internal,
    status: 504,
    title: 'Gateway Timeout',
    code: 'unavailable',
  },
  { type: ResponseType.DEFAULT_4XX, ...badRequest, detail: 'the API refused the request' },
  { type: ResponseType.DEFAULT_5XX, ...internal },
];

/** Gateway responses in the shape of the handlers' problems (RFC 9457); `x-amzn-requestid` is added by API Gateway. */
export function gatewayResponses(): readonly GatewayResponseOptions[] {
  return REFUSALS.map(({ type, status, headers = {}, ...problem }) => ({
    type,
    statusCode: String(status),
    responseHeaders: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, `'${value}'`]),
    ),
    templates: {
      'application/problem+json': JSON.stringify({
        title: problem.title,
        status,
        detail: problem.detail,
        code: problem.code,
        requestId: '$context.requestId',
      }),
    },
  }));
}
