import { Aws, Duration, Stack } from 'aws-cdk-lib';
import {
  EndpointType,
  IdentitySource,
  type IResource,
  LambdaIntegration,
  type MethodOptions,
  RequestAuthorizer,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type Route, ROUTES, STAGE } from '../../src/protocol/routes.ts';
import type { LonghaulConfig } from '../config.ts';
import { gatewayResponses } from './gateway-responses.ts';

/** A revoked key is refused within this time. */
const AUTHORIZER_CACHE_SECONDS = 60;

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
    this.api = new RestApi(this, 'Api', {
      restApiName: `${Stack.of(this).stackName} jobs`,
      description: 'Longhaul: submit and follow long agent jobs',
      endpointTypes: [EndpointType.REGIONAL],
      // The role is one setting for the whole account and region: not ours to overwrite.
      cloudWatchRole: false,
      deployOptions: {
        stageName: STAGE,
        tracingEnabled: config.tracing,
        throttlingRateLimit: config.apiThrottle.rateLimit,
        throttlingBurstLimit: config.apiThrottle.burstLimit,
      },
    });
    // Its output has a hash in its name; the stack gives one that has not.
    this.api.node.tryRemoveChild('Endpoint');
    this.url = `https://${this.api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${STAGE}`;
    for (const options of gatewayResponses()) {
      this.api.addGatewayResponse(options.type.responseType, options);
    }
    const integrations = { submit: integration(functions.submit), api: integration(functions.api) };
    this.#addRoutes(integrations, this.#protectedBy(authorizer));
    this.#answerEverythingElse(integrations.api);
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
      this.api.root
        .resourceForPath(route.path)
        .addMethod(
          route.method,
          integrations[route.servedBy],
          route.scope === undefined ? {} : withKey,
        );
    }
  }

  /**
   * API Gateway picks the resource first and the method then, so that the greedy path does not see a wrong method on a
   * path of the table: each resource needs an ANY of its own for the handler's 405, the rest gets its 404.
   */
  #answerEverythingElse(api: LambdaIntegration): void {
    for (const resource of resourcesBelow(this.api.root)) resource.addMethod('ANY', api);
    this.api.root.addMethod('ANY', api);
    this.api.root.addResource('{proxy+}').addMethod('ANY', api);
  }
}

function integration(handler: IFunction): LambdaIntegration {
  // One permission for each function: one for each method would fill the policy's 20 KB at some 40 routes.
  return new LambdaIntegration(handler, { scopePermissionToMethod: false });
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
