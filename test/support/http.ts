import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { FlushableTelemetry } from '../../src/adapters/telemetry/powertools-telemetry.ts';

export interface RequestParts {
  readonly method?: string;
  /** Of the route table. */
  readonly resource?: string;
  readonly pathParameters?: Record<string, string>;
  readonly query?: Record<string, string>;
  /** Several values stand for a header sent several times. */
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | null;
  /** `null`: no authorizer vouched for the request. */
  readonly caller?: CallerContext | null;
  readonly stagePrefix?: string;
}

/** What the authorizer hands over, as texts. */
export interface CallerContext {
  readonly tenantId: string;
  readonly scopes: string;
  readonly [name: string]: string;
}

export const ACME = { tenantId: 'acme', scopes: 'jobs:read jobs:write' };

/** A proxy event as API Gateway's REST API sends it. */
export function anEvent(parts: RequestParts = {}): APIGatewayProxyEvent {
  const { method = 'POST', resource = '/jobs', pathParameters = null, query = null } = parts;
  const path = resource.replace(/\{(\w+)\+?\}/g, (_, name: string) => pathParameters?.[name] ?? '');
  const headers = Object.entries(parts.headers ?? {}).map(
    ([name, value]) => [name, [value].flat()] as const,
  );
  return {
    httpMethod: method,
    resource,
    path,
    pathParameters,
    queryStringParameters: query,
    multiValueQueryStringParameters: null,
    headers: Object.fromEntries(headers.map(([name, values]) => [name, values.at(-1)])),
    multiValueHeaders: Object.fromEntries(headers),
    body: parts.body ?? null,
    isBase64Encoded: false,
    stageVariables: null,
    requestContext: {
      requestId: 'request-1',
      path: `${parts.stagePrefix ?? '/v1'}${path}`,
      authorizer: parts.caller === null ? null : (parts.caller ?? ACME),
    } as unknown as APIGatewayProxyEvent['requestContext'],
  };
}

/** As long as API Gateway waits. */
export const LAMBDA_CONTEXT = { getRemainingTimeInMillis: () => 29_000 };

/** The JSON of an answer. */
export function bodyOf(result: APIGatewayProxyResult): Record<string, unknown> {
  return JSON.parse(result.body) as Record<string, unknown>;
}

export interface RecordingTelemetry extends FlushableTelemetry {
  readonly lines: { level: string; message: string; fields: Record<string, unknown> }[];
  readonly counts: { metric: string; agent: string | undefined }[];
}

/** Keeps what is logged and counted. */
export function recordingTelemetry(): RecordingTelemetry {
  const lines: RecordingTelemetry['lines'] = [];
  const counts: RecordingTelemetry['counts'] = [];
  return {
    lines,
    counts,
    log: (level, message, fields = {}) => {
      lines.push({ level, message, fields: { ...fields } });
    },
    count: (metric, _value, dimensions) => {
      const agent =
        dimensions !== undefined && 'agent' in dimensions ? dimensions.agent : undefined;
      counts.push({ metric, agent });
    },
    measure: () => undefined,
    during: (_fields, work) => work(),
    flush: () => undefined,
  };
}
