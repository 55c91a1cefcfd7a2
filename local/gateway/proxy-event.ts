import type { RestApi } from './api-model.ts';
import { logTime, stagePath } from './context-variables.ts';
import { headerOf, type GatewayRequest } from './gateway-request.ts';
import type { RouteMatch } from './match-route.ts';
import { ACCOUNT } from '../template/identity.ts';

export type AuthorizerContext = Readonly<Record<string, string | number>>;

/** Everything the events of authorizer and integration have in common. */
export function requestPart(api: RestApi, match: RouteMatch, request: GatewayRequest) {
  return {
    resource: match.route.path,
    path: request.path,
    httpMethod: request.method,
    headers: lastValues(request.headers),
    multiValueHeaders: Object.fromEntries(request.headers),
    ...queryPart(request.query),
    pathParameters: match.pathParameters,
    stageVariables: api.stageVariables,
    requestContext: requestContext(api, match, request),
  };
}

/** The event of a Lambda proxy integration of a REST API. */
export function proxyEvent(
  api: RestApi,
  match: RouteMatch,
  { authorizer, ...request }: GatewayRequest & { authorizer: AuthorizerContext | undefined },
) {
  const { requestContext: context, ...part } = requestPart(api, match, request);
  return {
    ...part,
    requestContext: { ...context, ...(authorizer && { authorizer }) },
    body: request.body,
    isBase64Encoded: false,
  };
}

function requestContext(api: RestApi, match: RouteMatch, request: GatewayRequest) {
  const host = headerOf(request, 'host') ?? '';
  return {
    resourceId: match.route.resourceId,
    resourcePath: match.route.path,
    httpMethod: request.method,
    extendedRequestId: request.extendedRequestId,
    requestTime: logTime(request.receivedAt),
    path: stagePath(api, request),
    accountId: ACCOUNT,
    protocol: 'HTTP/1.1',
    stage: api.stage,
    domainPrefix: api.id,
    requestTimeEpoch: request.receivedAt.getTime(),
    requestId: request.requestId,
    identity: identity(request),
    domainName: host,
    deploymentId: 'local',
    apiId: api.id,
  };
}

function identity(request: GatewayRequest) {
  return {
    accessKey: null,
    accountId: null,
    caller: null,
    cognitoAuthenticationProvider: null,
    cognitoAuthenticationType: null,
    cognitoIdentityId: null,
    cognitoIdentityPoolId: null,
    principalOrgId: null,
    sourceIp: request.sourceIp,
    user: null,
    userAgent: headerOf(request, 'user-agent') ?? null,
    userArn: null,
  };
}

function queryPart(query: URLSearchParams) {
  const names = [...new Set(query.keys())];
  if (names.length === 0) {
    return { queryStringParameters: null, multiValueQueryStringParameters: null };
  }
  const all = names.map((name): [string, string[]] => [name, query.getAll(name)]);
  return {
    queryStringParameters: lastValues(new Map(all)),
    multiValueQueryStringParameters: Object.fromEntries(all),
  };
}

function lastValues(values: ReadonlyMap<string, readonly string[]>): Record<string, string> {
  return Object.fromEntries(Array.from(values, ([name, all]) => [name, all.at(-1) ?? '']));
}
