import { Aws, Duration, Stack, Validations } from 'aws-cdk-lib';
import {
  EndpointType,
  IdentitySource,
  type IResource,
  LambdaIntegration,
  type LambdaIntegrationOptions,
  type Method,
  type MethodOptions,
  RequestAuthorizer,
  ResponseTransferMode,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type Route, ROUTES, STAGE } from '../../src/protocol/routes.ts';
import type { LonghaulConfig } from '../config.ts';
import { accessLogs, acknowledgeLoggingRole } from './access-logs.ts';
import { gatewayResponses } from './gateway-responses.ts';

/** A revoked key is refused within this time. */
const AUTHORIZER_CACHE_SECONDS = 60;

/** The longest that API Gateway allows; the function ends its streams before. */
const STREAMED: LambdaIntegrationOptions = {
  responseTransferMode: ResponseTransferMode.STREAM,
  timeout: Duration.minutes(15),
};

export interface JobApiProps {
  readonly config: LonghaulConfig;
  /** Functions by the name that routes are served by. */
  readonly functions: Readonly<Record<Route['servedBy'], IFunction>>;
  readonly authorizer: IFunction;
}

/** The HTTPS API: one method for each route of the table, and an answer of ours for everything else. */
export class JobApi extends Construct {
  readonly api: RestApi;
  /** Base URL of the API, stage included, without a slash at the end. */
  readonly url: string;

  constructor(scope: Construct, id: string, { config, functions, authorizer }: JobApiProps) {
    super(scope, id);
    const isRoleOurs = config.apiAccessLogs === 'newRole';
    this.api = new RestApi(this, 'Api', {
      restApiName: `${Stack.of(this).stackName} jobs`,
      description: 'Longhaul: submit and follow long agent jobs',
      endpointTypes: [EndpointType.REGIONAL],
      // One setting for the whole account and region; it stays when the stack goes, since other APIs may log by it.
      cloudWatchRole: isRoleOurs,
      deployOptions: {
        ...accessLogs(this, config),
        stageName: STAGE,
        tracingEnabled: config.tracing,
        throttlingRateLimit: config.apiThrottle.rateLimit,
        throttlingBurstLimit: config.apiThrottle.burstLimit,
      },
    });
    // Its output has a hash in its name; the stack gives one that has not.
    this.api.node.tryRemoveChild('Endpoint');
    this.url = `https://${this.api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${STAGE}`;
    for (const options of gatewayResponses(config)) {
      this.api.addGatewayResponse(options.type.responseType, options);
    }
    const integrations = {
      submit: integration(functions.submit),
      api: integration(functions.api),
      events: integration(functions.events, STREAMED),
      schedules: integration(functions.schedules),
    };
    this.#addRoutes(integrations, this.#protectedBy(authorizer));
    this.#answerEverythingElse(integrations.api);
    acknowledgeChoices(this);
    if (isRoleOurs) acknowledgeLoggingRole(this);
  }

  #protectedBy(handler: IFunction): MethodOptions {
    return {
      authorizer: new RequestAuthorizer(this, 'Authorizer', {
        handler,
        identitySources: [IdentitySource.header('Authorization')],
        resultsCacheTtl: Duration.seconds(AUTHORIZER_CACHE_SECONDS),
      }),
    };
  }

  #addRoutes(
    integrations: Readonly<Record<Route['servedBy'], LambdaIntegration>>,
    withKey: MethodOptions,
  ): void {
    for (const route of ROUTES as readonly Route[]) {
      const method = this.api.root
        .resourceForPath(route.path)
        .addMethod(
          route.method,
          integrations[route.servedBy],
          route.scope === undefined ? {} : withKey,
        );
      if (route.scope === undefined) acknowledgeOpen(method, 'tells nothing about any tenant');
    }
  }

  /**
   * API Gateway picks the resource first and the method then, so that the greedy path does not see a wrong method on a
   * path of the table: each resource needs an ANY of its own for the handler's 405, the rest gets its 404.
   */
  #answerEverythingElse(api: LambdaIntegration): void {
    const { root } = this.api;
    for (const resource of [root, ...resourcesBelow(root), root.addResource('{proxy+}')]) {
      acknowledgeOpen(resource.addMethod('ANY', api), 'answers 404 or 405 and reads nothing');
    }
  }
}

function acknowledgeOpen(method: Method, reason: string): void {
  Validations.of(method).acknowledge({ id: 'AwsSolutions-APIG4', reason });
}

function acknowledgeChoices(api: JobApi): void {
  Validations.of(api).acknowledge(
    {
      id: 'AwsSolutions-COG4',
      reason:
        'callers are programs with API keys, known to the Lambda authorizer, and not users of a Cognito pool',
    },
    {
      id: 'AwsSolutions-APIG2',
      reason:
        'the handlers check every request and answer with a pointer to each fault, which the validators of API Gateway cannot',
    },
    {
      id: 'AwsSolutions-APIG6',
      reason:
        'execution logs hold what tenants send; access logs and handlers tell of each request',
    },
    {
      id: 'AwsSolutions-APIG3',
      reason:
        'a web ACL costs by the month whether it is wanted or not; the field api is there to associate one',
    },
  );
}

function integration(
  handler: IFunction,
  options: LambdaIntegrationOptions = {},
): LambdaIntegration {
  // One permission for each function: one for each method would fill the policy's 20 KB at some 40 routes.
  return new LambdaIntegration(handler, { scopePermissionToMethod: false, ...options });
}

function resourcesBelow(root: IResource): IResource[] {
  const paths = (ROUTES as readonly Route[]).flatMap(({ path }) => prefixesOf(path));
  return [...new Set(paths)].map((path) => root.resourceForPath(path));
}

/** `/jobs/{jobId}/trace` → `/jobs`, `/jobs/{jobId}`, `/jobs/{jobId}/trace`. */
function prefixesOf(path: string): string[] {
  const parts = path.split('/').slice(1);
  return parts.map((_part, index) => `/${parts.slice(0, index + 1).join('/')}`);
}
