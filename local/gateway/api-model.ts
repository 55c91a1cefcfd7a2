import type { Deployment, Resource } from '../template/deployment.ts';
import { apiId } from '../template/identity.ts';
import type { Properties } from '../template/properties.ts';
import { TemplateError } from '../template/template-error.ts';
import { checkedFormat } from './access-log.ts';

/** A REST API of the template with its one stage. */
export interface RestApi {
  readonly id: string;
  /** Physical name. */
  readonly name: string;
  /** The name that its metrics have. */
  readonly title: string;
  readonly stage: string;
  readonly stageVariables: Readonly<Record<string, string>> | null;
  readonly routes: readonly ApiRoute[];
  /** Requests the stage takes; the account's limits, which nobody here can exceed, unless the template sets its own. */
  readonly throttle: { readonly ratePerSecond: number; readonly burst: number };
  /** Of the line that the stage writes for each request; undefined when it writes none. */
  readonly accessLogFormat: string | undefined;
}

/** A method of a resource and the function behind it. */
export interface ApiRoute {
  readonly resourceId: string;
  /** As in the template: `/jobs/{jobId}`, `/{proxy+}`. */
  readonly path: string;
  readonly method: string;
  readonly functionName: string;
  readonly streams: boolean;
  readonly timeoutMs: number;
  readonly authorizer: AuthorizerConfig | undefined;
}

export interface AuthorizerConfig {
  readonly logicalId: string;
  readonly type: 'TOKEN' | 'REQUEST';
  readonly functionName: string;
  /** `method.request.header.Authorization` and the like. */
  readonly identitySources: readonly string[];
  readonly ttlSeconds: number;
  readonly validation: RegExp | undefined;
}

const DEFAULT_TIMEOUT_MS = 29_000;
const DEFAULT_TTL_SECONDS = 300;

/** The API of the template, or undefined when there is none; more than one is refused. */
export function restApi(deployment: Deployment): RestApi | undefined {
  const [api, another] = deployment.ofType('AWS::ApiGateway::RestApi');
  if (another) throw new TemplateError(another.logicalId, 'one RestApi is played, this is another');
  if (!api) return undefined;
  const [stage, second] = deployment.ofType('AWS::ApiGateway::Stage');
  if (!stage) throw new TemplateError(api.logicalId, 'the RestApi has no stage');
  if (second) throw new TemplateError(second.logicalId, 'one stage is played, this is another');
  const authorizers = new Map(
    deployment
      .ofType('AWS::ApiGateway::Authorizer')
      .map((resource) => [resource.logicalId, authorizerConfig(resource)]),
  );
  const paths = resourcePaths(api, deployment);
  return {
    id: apiId(api.logicalId),
    name: api.name,
    title: api.properties.textOr('Name', api.name),
    stage: stage.properties.text('StageName'),
    stageVariables: stage.properties.has('Variables')
      ? stage.properties.textMap('Variables')
      : null,
    routes: deployment
      .ofType('AWS::ApiGateway::Method')
      .map((method) => apiRoute(method, paths, authorizers)),
    throttle: throttleOf(stage),
    accessLogFormat: accessLogFormat(stage),
  };
}

function accessLogFormat({ logicalId, properties }: Resource): string | undefined {
  const format = properties.nested('AccessLogSetting').textOr('Format', undefined);
  return format === undefined ? undefined : checkedFormat(logicalId, format);
}

function throttleOf({ properties }: Resource): RestApi['throttle'] {
  const [settings] = properties.list('MethodSettings');
  return {
    ratePerSecond: settings?.numberOr('ThrottlingRateLimit', Infinity) ?? Infinity,
    burst: settings?.numberOr('ThrottlingBurstLimit', Infinity) ?? Infinity,
  };
}

function apiRoute(
  { logicalId, properties }: Resource,
  paths: ReadonlyMap<string, string>,
  authorizers: ReadonlyMap<string, AuthorizerConfig>,
): ApiRoute {
  const resourceId = properties.text('ResourceId');
  const path = paths.get(resourceId);
  if (path === undefined) throw new TemplateError(logicalId, `unknown resource ${resourceId}`);
  const integration = properties.nested('Integration');
  return {
    resourceId,
    path,
    method: properties.text('HttpMethod'),
    functionName: invokedFunction(integration, 'Uri'),
    streams: integration.textOr('ResponseTransferMode', 'BUFFERED') === 'STREAM',
    timeoutMs: integration.numberOr('TimeoutInMillis', DEFAULT_TIMEOUT_MS),
    authorizer: methodAuthorizer(properties, authorizers),
  };
}

function methodAuthorizer(
  method: Properties,
  authorizers: ReadonlyMap<string, AuthorizerConfig>,
): AuthorizerConfig | undefined {
  if (method.textOr('AuthorizationType', 'NONE') === 'NONE') return undefined;
  const authorizer = authorizers.get(method.text('AuthorizerId'));
  if (authorizer) return authorizer;
  throw new TemplateError(method.where, `unknown authorizer ${method.text('AuthorizerId')}`);
}

function authorizerConfig({ logicalId, properties }: Resource): AuthorizerConfig {
  const validation = properties.textOr('IdentityValidationExpression', undefined);
  return {
    logicalId,
    type: properties.text('Type') as AuthorizerConfig['type'],
    functionName: invokedFunction(properties, 'AuthorizerUri'),
    identitySources: properties
      .textOr('IdentitySource', '')
      .split(',')
      .map((source) => source.trim())
      .filter((source) => source !== ''),
    ttlSeconds: properties.numberOr('AuthorizerResultTtlInSeconds', DEFAULT_TTL_SECONDS),
    validation: validation === undefined ? undefined : new RegExp(validation),
  };
}

/** `arn:aws:apigateway:…:lambda:path/2015-03-31/functions/<function ARN>/invocations`, or its streaming form. */
function invokedFunction(properties: Properties, name: string): string {
  const uri = properties.text(name);
  const pattern =
    /:lambda:path\/\d{4}-\d{2}-\d{2}\/functions\/arn:aws:lambda:[^:]+:\d+:function:([^:/]+)\/(?:response-streaming-)?invocations$/;
  const [, functionName] = pattern.exec(uri) ?? [];
  if (functionName !== undefined) return functionName;
  throw new TemplateError(properties.where, `${name} ${uri} does not invoke a function`);
}

function resourcePaths(api: Resource, deployment: Deployment): Map<string, string> {
  const resources = new Map(
    deployment
      .ofType('AWS::ApiGateway::Resource')
      .map((resource) => [resource.logicalId, resource]),
  );
  const rootId = `${api.logicalId}-root`;
  const pathOf = (id: string): string => {
    if (id === rootId) return '';
    const resource = resources.get(id);
    if (!resource) throw new TemplateError(id, 'a parent that is not in the template');
    const { properties } = resource;
    return `${pathOf(properties.text('ParentId'))}/${properties.text('PathPart')}`;
  };
  return new Map([
    [rootId, '/'],
    ...Array.from(resources.keys(), (id): [string, string] => [id, pathOf(id)]),
  ]);
}
