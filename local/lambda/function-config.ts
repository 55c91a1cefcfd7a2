import { statSync } from 'node:fs';
import { arn, REGION } from '../template/identity.ts';
import type { Deployment, Resource } from '../template/deployment.ts';
import { TemplateError } from '../template/template-error.ts';
import { restApi } from '../gateway/api-model.ts';
import { CREDENTIALS, type Endpoints } from '../emulators/clients.ts';

/** A Lambda function as the template configures it. */
export interface FunctionConfig {
  readonly logicalId: string;
  readonly path: string;
  readonly name: string;
  readonly arn: string;
  /** Directory of the bundle. */
  readonly directory: string;
  /** `index.handler`: module, then export. */
  readonly handler: string;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  /** Invocations at the same time; above it callers are throttled. Undefined: the account's limit only. */
  readonly reservedConcurrency: number | undefined;
  /** Whether a route streams its answers: its invocations wait more than they work. */
  readonly streams: boolean;
  /** The template's variables and those Lambda itself sets; nothing of this process. */
  readonly environment: Readonly<Record<string, string>>;
}

// Lambda's own defaults.
const DEFAULT_MEMORY_MB = 128;
const DEFAULT_TIMEOUT_SECONDS = 3;

export function functionConfigs(deployment: Deployment, endpoints: Endpoints): FunctionConfig[] {
  const streaming = streamingFunctions(deployment);
  return deployment.ofType('AWS::Lambda::Function').map((resource) => ({
    ...functionConfig(resource, deployment, endpoints),
    streams: streaming.has(resource.name),
  }));
}

function streamingFunctions(deployment: Deployment): ReadonlySet<string> {
  const routes = restApi(deployment)?.routes ?? [];
  return new Set(routes.flatMap(({ streams, functionName }) => (streams ? [functionName] : [])));
}

function functionConfig(
  resource: Resource,
  deployment: Deployment,
  endpoints: Endpoints,
): Omit<FunctionConfig, 'streams'> {
  const { logicalId, name, path, properties } = resource;
  const memoryMb = properties.numberOr('MemorySize', DEFAULT_MEMORY_MB);
  const handler = properties.text('Handler');
  return {
    logicalId,
    path,
    name,
    arn: arn('lambda', `function:${name}`),
    directory: bundleDirectory(resource, deployment),
    handler,
    memoryMb,
    timeoutSeconds: properties.numberOr('Timeout', DEFAULT_TIMEOUT_SECONDS),
    reservedConcurrency: properties.numberOr('ReservedConcurrentExecutions', undefined),
    environment: {
      ...lambdaVariables({ name, memoryMb, handler }, endpoints),
      ...properties.nested('Environment').textMap('Variables'),
    },
  };
}

function bundleDirectory({ logicalId, properties }: Resource, deployment: Deployment): string {
  const key = properties.nested('Code').text('S3Key');
  const directory = deployment.assets.get(key);
  if (directory === undefined) {
    throw new TemplateError(logicalId, `no asset ${key} in the assembly`);
  }
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
    throw new TemplateError(logicalId, `asset ${key} is not a directory`);
  }
  return directory;
}

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html, plus where the emulators are. */
function lambdaVariables(
  { name, memoryMb, handler }: { name: string; memoryMb: number; handler: string },
  endpoints: Endpoints,
): Record<string, string> {
  return {
    _HANDLER: handler,
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_XRAY_CONTEXT_MISSING: 'LOG_ERROR',
    AWS_XRAY_DAEMON_ADDRESS: '127.0.0.1:2000',
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_S3: endpoints.s3,
    AWS_ENDPOINT_URL_EVENTBRIDGE: endpoints.events,
    AWS_ENDPOINT_URL_SCHEDULER: endpoints.scheduler,
    LANG: 'en_US.UTF-8',
    PATH: '/var/lang/bin:/usr/local/bin:/usr/bin/:/bin:/opt/bin',
    TZ: ':UTC',
  };
}
