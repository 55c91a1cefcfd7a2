import { ACCOUNT } from '../template/identity.ts';
import type { RestApi } from './api-model.ts';
import { type GatewayRequest, headerOf } from './gateway-request.ts';

/** Values of the `$context` variables of one request, by their names without `$context.`. */
export type ContextVariables = Readonly<Record<string, string>>;

/** Variables that a gateway response may name. */
export const RESPONSE_VARIABLES = [
  'accountId',
  'apiId',
  'error.message',
  'error.messageString',
  'error.responseType',
  'extendedRequestId',
  'httpMethod',
  'identity.sourceIp',
  'identity.userAgent',
  'path',
  'protocol',
  'requestId',
  'requestTime',
  'requestTimeEpoch',
  'resourcePath',
  'stage',
] as const;

/** Whether `$context.requestId` and the like is one of these. */
export function isOneOf(known: readonly string[], variable: string): boolean {
  return known.some((name) => variable === `$context.${name}`);
}

/** What is known of a request as soon as it is there. */
export function contextVariables(api: RestApi, request: GatewayRequest): ContextVariables {
  return {
    accountId: ACCOUNT,
    apiId: api.id,
    extendedRequestId: request.extendedRequestId,
    httpMethod: request.method,
    'identity.sourceIp': request.sourceIp,
    'identity.userAgent': headerOf(request, 'user-agent') ?? '',
    path: stagePath(api, request),
    protocol: 'HTTP/1.1',
    requestId: request.requestId,
    requestTime: logTime(request.receivedAt),
    requestTimeEpoch: String(request.receivedAt.getTime()),
    stage: api.stage,
  };
}

/** The path with its stage. */
export function stagePath(api: RestApi, { path }: GatewayRequest): string {
  return `/${api.stage}${path === '/' ? '' : path}`;
}

/** `29/Nov/2026:21:26:44 +0000`, the common log format. */
export function logTime(at: Date): string {
  const [, month, day, year] = /^\w+, (?=\d+ (\w+))(\d+) \w+ (\d+)/.exec(at.toUTCString()) ?? [];
  return `${day ?? ''}/${month ?? ''}/${year ?? ''}:${at.toISOString().slice(11, 19)} +0000`;
}
