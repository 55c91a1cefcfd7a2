import { join } from 'node:path';
import { type Duration, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, RecursiveLoop, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import {
  type BundlingOptions,
  LogLevel,
  NodejsFunction,
  type NodejsFunctionProps,
  OutputFormat,
} from 'aws-cdk-lib/aws-lambda-nodejs';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { environmentOf, loggingEnvironment } from '../../src/settings/environment.ts';
import { METRICS } from '../../src/settings/names.ts';
import type { LonghaulConfig } from '../config.ts';
import { encryptedBy } from '../encrypted-by.ts';
import { removalPolicyOf } from '../removal-policy.ts';
import { acknowledgeWildcard } from './acknowledge-wildcard.ts';
import { agentsAlias } from './agents-alias.ts';
import { keyStatements } from './key-use.ts';
import { REQUIRE_BANNER } from './require-banner.ts';
import { packageRoot } from './package-root.ts';

export interface ServiceFunctionProps {
  readonly config: LonghaulConfig;
  /** The customer's key, which then encrypts logs and all that the function works with. */
  readonly key: IKey | undefined;
  /** Name of the entry file in `lambdas/`, without `.ts`. */
  readonly entry:
    'submit' | 'api' | 'events' | 'schedules' | 'authorizer' | 'worker' | 'sweeper' | 'notifier';
  readonly description: string;
  /** Variables from `environmentOf` and the schema that the handler reads. */
  readonly environment: Readonly<Record<string, string>>;
  readonly timeout: Duration;
  readonly memoryMb: number;
  /**
   * Concurrent invocations kept for this function, and the most it can have.
   * @default - it shares the account's
   */
  readonly reservedConcurrency?: number;
  /**
   * Queue for events that failed each time Lambda tried them, of who is started without waiting.
   * @default - they are dropped
   */
  readonly deadLetterQueue?: IQueue;
  /**
   * File that exports the `registry` of agents.
   * @default - the function knows no agents
   */
  readonly agentsEntry?: string;
  /**
   * More arguments for esbuild.
   * @default - none
   */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** A Lambda function of Longhaul: the one place for runtime, bundling, logs, tracing and recursion. */
export class ServiceFunction extends NodejsFunction {
  readonly memoryMb: number;
  readonly #key: IKey | undefined;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id, functionProps(scope, id, props));
    this.memoryMb = props.memoryMb;
    this.#key = props.key;
  }

  /** Allows exactly these actions on the objects whose keys begin with `prefix`. */
  allowObjects(actions: readonly string[], bucket: Bucket, prefix = ''): void {
    this.allow(actions, bucket.arnForObjects(`${prefix}*`));
    acknowledgeWildcard(this.role ?? this, {
      resource: bucket,
      suffix: `/${prefix}*`,
      reason: 'keys of payloads are made per job',
    });
  }

  /** Allows exactly these actions on exactly these resources, and what they take of the key that encrypts those. */
  allow(actions: readonly string[], ...resources: readonly string[]): void {
    this.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources: [...resources] }));
    for (const statement of keyStatements(this.#key, actions)) this.addToRolePolicy(statement);
  }
}

/** Keys of the configuration have 0 for nothing; to Lambda 0 would mean no invocation at all. */
export function reservedBy({
  reservedConcurrency,
}: {
  readonly reservedConcurrency: number;
}): Pick<ServiceFunctionProps, 'reservedConcurrency'> {
  return reservedConcurrency > 0 ? { reservedConcurrency } : {};
}

function functionProps(
  scope: Construct,
  id: string,
  props: ServiceFunctionProps,
): NodejsFunctionProps {
  const { config } = props;
  const logGroup = new LogGroup(scope, `${id}Logs`, {
    // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- the enum is the days, and config allows only its values
    retention: config.logRetentionDays as RetentionDays,
    removalPolicy: removalPolicyOf(config),
    ...encryptedBy(props.key),
  });
  // A role of its own instead of CDK's, whose managed policy may write to every log group of the account.
  const role = new Role(scope, `${id}Role`, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
  });
  logGroup.grantWrite(role);
  if (isTraced(config)) {
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray knows no resources: its actions can only be allowed on all',
    });
  }
  return {
    entry: join(packageRoot(), 'lambdas', `${props.entry}.ts`),
    description: props.description,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: props.memoryMb,
    timeout: props.timeout,
    ...(props.reservedConcurrency !== undefined && {
      reservedConcurrentExecutions: props.reservedConcurrency,
    }),
    ...(props.deadLetterQueue !== undefined && { deadLetterQueue: props.deadLetterQueue }),
    role,
    logGroup,
    tracing: isTraced(config) ? Tracing.ACTIVE : Tracing.DISABLED,
    // A job that continues in slices passes queue and functions more than 16 times, where Lambda's loop detection would
    // refuse the next invocation; our own limits of steps, duration and attempts stop a runaway.
    recursiveLoop: RecursiveLoop.ALLOW,
    awsSdkConnectionReuse: false,
    environment: { ...sharedEnvironment(config), ...props.environment },
    bundling: bundling(props),
  };
}

function isTraced({ tracing }: LonghaulConfig): boolean {
  return tracing.mode === 'xray';
}

function sharedEnvironment(config: LonghaulConfig): Record<string, string> {
  return {
    POWERTOOLS_SERVICE_NAME: METRICS.service,
    POWERTOOLS_METRICS_NAMESPACE: METRICS.namespace,
    POWERTOOLS_LOG_LEVEL: config.logLevel,
    POWERTOOLS_TRACE_ENABLED: String(isTraced(config)),
    ...environmentOf(loggingEnvironment, { LOG_PAYLOADS: config.logPayloads }),
  };
}

/** What the functions that a job passes through need for its trace. */
export function tracingVariables({ tracing }: LonghaulConfig) {
  const { samplingPercent, otlpEndpoint } = tracing;
  return {
    TRACING_SAMPLING_PERCENT: samplingPercent,
    ...(otlpEndpoint !== '' && { OTLP_ENDPOINT: otlpEndpoint }),
  };
}

function bundling({
  config: { tracing },
  agentsEntry,
  aliases = {},
}: Pick<ServiceFunctionProps, 'config' | 'agentsEntry' | 'aliases'>): BundlingOptions {
  return {
    format: OutputFormat.ESM,
    target: 'node24',
    mainFields: ['module', 'main'],
    minify: true,
    keepNames: true,
    sourceMap: false,
    bundleAwsSDK: true,
    logLevel: LogLevel.ERROR,
    banner: REQUIRE_BANNER,
    esbuildArgs: {
      // The adapter of one mode is bundled, and nothing of the others.
      '--alias:#tracing': join(packageRoot(), 'lambdas/tracing', `${tracing.mode}.ts`),
      ...(agentsEntry !== undefined && agentsAlias(agentsEntry)),
      ...aliases,
    },
  };
}
