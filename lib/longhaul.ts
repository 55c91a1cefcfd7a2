import { Duration, Stack, Tags } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import {
  apiEnvironment,
  authorizerEnvironment,
  environmentOf,
  eventsEnvironment,
  submitEnvironment,
} from '../src/settings/environment.ts';
import { EVENT_STREAM_SECONDS } from '../src/protocol/limits.ts';
import { INDEXES } from '../src/settings/names.ts';
import { checkAgents } from './check-agents.ts';
import {
  flattened,
  type LonghaulConfig,
  type LonghaulConfigInput,
  resolveConfig,
} from './config.ts';
import { type ConfiguredScheduleInput, configuredSchedules } from './configured-schedules.ts';
import { allowTidying } from './constructs/allow-tidying.ts';
import { Encryption } from './constructs/encryption.ts';
import { IdempotencyTable } from './constructs/idempotency-table.ts';
import { JobApi } from './constructs/job-api.ts';
import { JobQueue } from './constructs/job-queue.ts';
import { JobTable } from './constructs/job-table.ts';
import { Monitoring } from './constructs/monitoring/monitoring.ts';
import { NotificationQueue } from './constructs/notification-queue.ts';
import { Notifier } from './constructs/notifier.ts';
import { PayloadBucket } from './constructs/payload-bucket.ts';
import { Schedules } from './constructs/schedules.ts';
import {
  reservedBy,
  ServiceFunction,
  type ServiceFunctionProps,
  tracingVariables,
} from './constructs/service-function.ts';
import { type StatusBus, StatusEvents } from './constructs/status-events.ts';
import { Sweeper } from './constructs/sweeper.ts';
import { Worker } from './constructs/worker.ts';
import type { Stores } from './stores.ts';

/** For what precedes a stream and for its end. */
const STREAM_MARGIN_SECONDS = 30;

/** API Gateway waits as long and no longer. */
const LONGEST_REQUEST_SECONDS = 29;

/** What a deployment of Longhaul is made of. */
export interface LonghaulProps {
  /** File that exports `registry`, the agents of this deployment; relative to the folder the app runs in. */
  readonly agentsEntry: string;
  /**
   * Settings of the deployment.
   * @default - the defaults of docs/configuration.md
   */
  readonly config?: LonghaulConfigInput;
  /**
   * Schedules of tenants that belong to the deployment.
   * @default - none; tenants make their own by the API
   */
  readonly schedules?: readonly ConfiguredScheduleInput[];
}

/**
 * Runs agent jobs: HTTPS API, queues, worker, sweeper and the state behind them.
 * @throws ConfigError
 * @example
 * const jobs = new Longhaul(this, 'Jobs', { agentsEntry: 'agents/index.ts' });
 * new CfnOutput(this, 'ApiUrl', { value: jobs.url });
 */
export class Longhaul extends Construct {
  /** The configuration with its defaults. */
  readonly config: LonghaulConfig;
  /** Base URL of the API, without a slash at the end. */
  readonly url: string;
  /** The REST API, for instance to give it a domain name or a web ACL. */
  readonly api: RestApi;
  /** Jobs, journals, API keys. */
  readonly table: TableV2;
  /** Records of the idempotency utility, one for each key in use. */
  readonly idempotencyTable: TableV2;
  /** Inputs, step outcomes and results too large for a table item. */
  readonly bucket: Bucket;
  /** Hints for the worker. */
  readonly queue: Queue;
  /** Hints for jobs that run alone, since an environment died with them. */
  readonly isolationQueue: Queue;
  /** What was given up. */
  readonly dlq: Queue;
  /** Hints for the notifier. */
  readonly notificationQueue: Queue;
  /** Where changes of status are put, when the configuration wants that. */
  readonly eventBus: StatusBus | undefined;
  /** Notifications that were given up. */
  readonly undeliveredQueue: Queue;
  /** Triggers of schedules, in EventBridge Scheduler. */
  readonly scheduleGroup: ScheduleGroup;
  /** The functions by the name of their entry point. */
  readonly functions: Readonly<Record<ServiceFunctionProps['entry'], ServiceFunction>>;
  /** Workers of their own for some agents, by the names that the configuration gives them. */
  readonly lanes: Readonly<Record<string, ServiceFunction>>;
  /** The customer's key that encrypts all of it, when the configuration wants that. */
  readonly key: IKey | undefined;
  /** Dashboard and alarms. */
  readonly monitoring: Monitoring;

  constructor(scope: Construct, id: string, props: LonghaulProps) {
    super(scope, id);
    const config = resolveConfig(flattened(props.config ?? {}));
    const configured = configuredSchedules(props.schedules ?? []);
    if (Stack.of(this).bundlingRequired) checkAgents(props.agentsEntry, { config, configured });
    const stores = this.#stores(config);
    const submit = this.#submit(config, stores, props.agentsEntry);
    const api = this.#api(config, stores);
    const events = this.#events(config, stores);
    const authorizer = this.#authorizer(config, stores);
    const worker = new Worker(this, 'Worker', { config, stores, agentsEntry: props.agentsEntry });
    const lanes = this.#lanes(config, stores, props.agentsEntry);
    const notifier = new Notifier(this, 'Notifier', { config, stores });
    const schedules = new Schedules(this, 'Schedules', {
      config,
      stores,
      agentsEntry: props.agentsEntry,
      timeout: Duration.seconds(LONGEST_REQUEST_SECONDS),
      configured,
    });
    const sweeper = new Sweeper(this, 'Sweeper', {
      config,
      stores,
      others: [
        submit,
        api,
        events,
        schedules.function,
        authorizer,
        worker.function,
        notifier.function,
        ...Object.values(lanes),
      ],
    });
    const jobApi = new JobApi(this, 'JobApi', {
      config,
      key: stores.encryption.key,
      functions: { submit, api, events, schedules: schedules.function },
      authorizer,
    });

    this.config = config;
    this.url = jobApi.url;
    this.api = jobApi.api;
    this.table = stores.jobTable.table;
    this.idempotencyTable = stores.idempotencyTable.table;
    this.bucket = stores.payloads.bucket;
    this.queue = stores.queue.jobs;
    this.isolationQueue = stores.queue.isolation;
    this.dlq = stores.queue.deadLetters;
    this.notificationQueue = stores.notifications.queue;
    this.eventBus = stores.statusEvents.bus;
    this.undeliveredQueue = stores.notifications.undelivered;
    this.scheduleGroup = schedules.group;
    this.functions = {
      submit,
      api,
      events,
      schedules: schedules.function,
      authorizer,
      worker: worker.function,
      sweeper: sweeper.function,
      notifier: notifier.function,
    };
    this.key = stores.encryption.key;
    this.lanes = lanes;
    this.monitoring = this.#monitor(config, stores, worker);
    for (const [name, value] of Object.entries(config.tags)) Tags.of(this).add(name, value);
  }

  #monitor(config: LonghaulConfig, stores: Stores, worker: Worker): Monitoring {
    return new Monitoring(this, 'Monitoring', {
      config,
      key: stores.encryption.key,
      watched: {
        queue: stores.queue,
        notifications: stores.notifications,
        functions: this.functions,
        lanes: this.lanes,
        api: this.api,
        tables: [
          {
            table: this.table,
            indexes: Object.values(INDEXES).map(({ name }) => name),
          },
          { table: this.idempotencyTable, indexes: [] },
        ],
        outOfMemory: worker.outOfMemory,
      },
    });
  }

  #lanes(
    config: LonghaulConfig,
    stores: Stores,
    agentsEntry: string,
  ): Record<string, ServiceFunction> {
    const workers = new Construct(this, 'Workers');
    return Object.fromEntries(
      stores.queue.lanes.map((lane) => [
        lane.name,
        new Worker(workers, lane.name, { config, stores, agentsEntry, lane }).function,
      ]),
    );
  }

  #stores(config: LonghaulConfig): Stores {
    const encryption = new Encryption(this, 'Encryption', { config });
    const { key } = encryption;
    return {
      encryption,
      jobTable: new JobTable(this, 'JobTable', { config, key }),
      idempotencyTable: new IdempotencyTable(this, 'IdempotencyTable', { config, key }),
      payloads: new PayloadBucket(this, 'Payloads', { config, key }),
      queue: new JobQueue(this, 'Queue', { config, key }),
      notifications: new NotificationQueue(this, 'Notifications', { key }),
      statusEvents: new StatusEvents(this, 'StatusEvents', { config, key }),
    };
  }

  #submit(config: LonghaulConfig, stores: Stores, agentsEntry: string): ServiceFunction {
    const { encryption, jobTable, idempotencyTable, payloads, queue, statusEvents } = stores;
    const submit = new ServiceFunction(this, 'Submit', {
      entry: 'submit',
      description: 'Accepts jobs: checks, stores and enqueues them',
      config,
      key: encryption.key,
      agentsEntry,
      timeout: Duration.seconds(LONGEST_REQUEST_SECONDS),
      // The largest upload, 48 MiB, takes up to half of it as text and as a value. Small submissions take the less time for it.
      memoryMb: 1_024,
      environment: environmentOf(submitEnvironment, {
        JOB_TABLE: jobTable.table.tableName,
        IDEMPOTENCY_TABLE: idempotencyTable.table.tableName,
        PAYLOAD_BUCKET: payloads.bucket.bucketName,
        JOB_QUEUE_URL: queue.jobs.queueUrl,
        RETENTION_DAYS: config.retentionDays,
        WEBHOOKS_ALLOW_LOOPBACK: config.webhooks.allowLoopback,
        CORS_ORIGINS: config.corsOrigins,
        ...queue.variables,
        ...tracingVariables(config),
        ...statusEvents.variables,
      }),
    });
    submit.allow(
      ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
      jobTable.table.tableArn,
    );
    allowRunOnce(submit, idempotencyTable);
    // The keys that `inputKey` of src/core/job/payload-keys.ts makes.
    submit.allowObjects(['s3:PutObject'], payloads.bucket, 'tenants/*/jobs/*/input-');
    submit.allowObjects(['s3:GetObject'], payloads.bucket, 'uploads/');
    // A caller may wait for the result: the keys that `resultKey` makes.
    submit.allowObjects(['s3:GetObject'], payloads.bucket, 'tenants/*/jobs/*/g*/result-');
    submit.allow(['sqs:SendMessage'], ...queue.jobsArns);
    statusEvents.grantTo(submit);
    return submit;
  }

  #api(config: LonghaulConfig, stores: Stores): ServiceFunction {
    const { encryption, jobTable, idempotencyTable, payloads, queue, notifications, statusEvents } =
      stores;
    const api = new ServiceFunction(this, 'Api', {
      entry: 'api',
      description: 'Answers every route that has no function of its own',
      config,
      key: encryption.key,
      timeout: Duration.seconds(LONGEST_REQUEST_SECONDS),
      memoryMb: 512,
      environment: environmentOf(apiEnvironment, {
        JOB_TABLE: jobTable.table.tableName,
        IDEMPOTENCY_TABLE: idempotencyTable.table.tableName,
        PAYLOAD_BUCKET: payloads.bucket.bucketName,
        JOB_QUEUE_URL: queue.jobs.queueUrl,
        ISOLATION_QUEUE_URL: queue.isolation.queueUrl,
        DEAD_LETTER_QUEUE_URL: queue.deadLetters.queueUrl,
        NOTIFICATION_QUEUE_URL: notifications.queue.queueUrl,
        CORS_ORIGINS: config.corsOrigins,
        ...queue.variables,
        ...statusEvents.variables,
      }),
    });
    api.allow(
      ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'].map(
        (name) => `dynamodb:${name}`,
      ),
      jobTable.table.tableArn,
    );
    api.allow(['dynamodb:Query'], jobTable.byTenantIndexArn);
    allowRunOnce(api, idempotencyTable);
    api.allowObjects(['s3:GetObject'], payloads.bucket);
    // The keys that `signalKey` of src/core/job/payload-keys.ts makes.
    api.allowObjects(['s3:PutObject'], payloads.bucket, 'tenants/*/jobs/*/signals/');
    // By the addresses it signs, so that clients may upload.
    api.allowObjects(['s3:PutObject'], payloads.bucket, 'uploads/');
    api.allow(
      ['sqs:SendMessage'],
      ...queue.jobsArns,
      ...queue.isolationArns,
      queue.deadLetters.queueArn,
      notifications.queue.queueArn,
    );
    allowTidying(api, queue);
    statusEvents.grantTo(api);
    return api;
  }

  #events(config: LonghaulConfig, { encryption, jobTable }: Stores): ServiceFunction {
    const events = new ServiceFunction(this, 'Events', {
      entry: 'events',
      description: 'Streams what happens in a job',
      config,
      key: encryption.key,
      timeout: Duration.seconds(EVENT_STREAM_SECONDS + STREAM_MARGIN_SECONDS),
      memoryMb: 256,
      ...reservedBy(config.events),
      environment: environmentOf(eventsEnvironment, {
        JOB_TABLE: jobTable.table.tableName,
        CORS_ORIGINS: config.corsOrigins,
      }),
    });
    events.allow(
      ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
      jobTable.table.tableArn,
    );
    return events;
  }

  #authorizer(config: LonghaulConfig, { encryption, jobTable }: Stores): ServiceFunction {
    const authorizer = new ServiceFunction(this, 'Authorizer', {
      entry: 'authorizer',
      description: 'Knows tenant and scopes of an API key or token',
      config,
      key: encryption.key,
      timeout: Duration.seconds(5),
      memoryMb: 256,
      environment: environmentOf(authorizerEnvironment, {
        JOB_TABLE: jobTable.table.tableName,
        TENANT_REQUESTS_PER_SECOND: config.tenantRequestsPerSecond,
        JWT_ISSUER: config.jwt.issuer,
        JWT_AUDIENCE: config.jwt.audience,
        JWT_JWKS_URL: config.jwt.jwksUrl,
        JWT_TENANT_CLAIM: config.jwt.tenantClaim,
        JWT_SCOPE_CLAIM: config.jwt.scopeClaim,
        JWT_SCOPE_MAP: config.jwt.scopeMap,
        JWT_ALLOW_LOOPBACK: config.jwt.allowLoopback,
      }),
    });
    authorizer.allow(['dynamodb:GetItem', 'dynamodb:UpdateItem'], jobTable.table.tableArn);
    return authorizer;
  }
}

/** What Powertools does with the record of an idempotency key. */
function allowRunOnce(handler: ServiceFunction, { table }: IdempotencyTable): void {
  handler.allow(
    ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'].map((name) => `dynamodb:${name}`),
    table.tableArn,
  );
}
