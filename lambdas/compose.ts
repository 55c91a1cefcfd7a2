/**
 * Composition root: the only place that makes adapters. One function for each deployed function; esbuild keeps of this
 * file what the entry point calls.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type * as z from 'zod';
import type { AgentRegistry } from '../src/agent/index.ts';
import { eventBridgeBus, eventBridgeClient } from '../src/adapters/eventbridge/event-bus.ts';
import { powertoolsRunOnce } from '../src/adapters/idempotency/powertools-run-once.ts';
import { dynamoApiKeyStore } from '../src/adapters/dynamodb/api-key-store.ts';
import { dynamoDeploymentLog } from '../src/adapters/dynamodb/deployment-log.ts';
import { documentClient } from '../src/adapters/dynamodb/document-client.ts';
import { dynamoJobStore } from '../src/adapters/dynamodb/job-store.ts';
import { dynamoScheduleStore } from '../src/adapters/dynamodb/schedule-store.ts';
import { dynamoSecretStore } from '../src/adapters/dynamodb/secret-store.ts';
import { dynamoWebhookSecretStore } from '../src/adapters/dynamodb/webhook-secret-store.ts';
import { dynamoRequestCounter } from '../src/adapters/dynamodb/request-counter.ts';
import { dynamoUsageStore } from '../src/adapters/dynamodb/usage-store.ts';
import type { Table } from '../src/adapters/dynamodb/table.ts';
import { dynamoTenantStore } from '../src/adapters/dynamodb/tenant-store.ts';
import { joseTokenVerifier } from '../src/adapters/jwt/token-verifier.ts';
import { s3Client } from '../src/adapters/s3/client.ts';
import { s3PayloadStore } from '../src/adapters/s3/payload-store.ts';
import { presignGet } from '../src/adapters/s3/presign-get.ts';
import { presignPut } from '../src/adapters/s3/presign-put.ts';
import { eventBridgeTrigger, schedulerClient } from '../src/adapters/scheduler/schedule-trigger.ts';
import { sqsClient } from '../src/adapters/sqs/client.ts';
import { sqsDeadLetterInbox } from '../src/adapters/sqs/dead-letter-inbox.ts';
import { sqsDeadLetterQueue } from '../src/adapters/sqs/dead-letter-queue.ts';
import { sqsJobQueue } from '../src/adapters/sqs/job-queue.ts';
import {
  sqsNotificationQueue,
  sqsUndeliveredQueue,
} from '../src/adapters/sqs/notification-queue.ts';
import { isQueue } from '../src/adapters/sqs/queue-name.ts';
import { sqsReturnMessage } from '../src/adapters/sqs/return-message.ts';
import { systemClock } from '../src/adapters/system/clock.ts';
import { systemIdSource } from '../src/adapters/system/id-source.ts';
import { systemStepScope } from '../src/adapters/system/step-scope.ts';
import { metered } from '../src/adapters/telemetry/aws-meter.ts';
import {
  type FlushableTelemetry,
  powertoolsTelemetry,
} from '../src/adapters/telemetry/powertools-telemetry.ts';
import type { FlushableTracing } from '../src/adapters/telemetry/span-tree.ts';
import { newWebhookSecret } from '../src/adapters/webhook/new-secret.ts';
import { webhookSender } from '../src/adapters/webhook/webhook-sender.ts';
import { cachedSecrets } from '../src/adapters/webhook/cached-secrets.ts';
import { AWS_CLIENT } from '../src/settings/aws-client.ts';
import {
  apiEnvironment,
  authorizerEnvironment,
  eventsEnvironment,
  notifierEnvironment,
  loggingEnvironment,
  readEnvironment,
  schedulesEnvironment,
  submitEnvironment,
  sweeperEnvironment,
  workerEnvironment,
} from '../src/settings/environment.ts';
import { createTracing } from '#tracing';
import { apiRoutes } from './http/api-routes.ts';
import { type Authorizer, authorizer } from './http/authorize.ts';
import { commandRoutes } from './http/command-routes.ts';
import { eventsRoute } from './http/events-route.ts';
import { withCors } from './http/cors.ts';
import { cursorSeal } from './http/cursor-seal.ts';
import { deliveryRoutes } from './http/delivery-routes.ts';
import { deadLetterRoutes } from './http/dead-letter-routes.ts';
import { type HttpHandler, httpHandler } from './http/http-handler.ts';
import { cachedTenants } from '../src/core/tenants/cached-tenants.ts';
import type { ConfiguredSchedule } from '../src/core/schedules/schedule.ts';
import type { EventBus } from '../src/core/ports/event-bus.ts';
import type { ThrottleDeps } from '../src/core/tenants/request-throttle.ts';
import { tenantEndpoints } from '../src/core/tenants/tenant-endpoints.ts';
import { flushed, flushing } from './flushed.ts';
import { lanesOf, ownLane } from './lanes-of.ts';
import { impatientBatches, impatientQueue } from '../src/core/commands/impatient-queue.ts';
import { streamified, withHead } from './http/lambda-streaming.ts';
import { type StreamedHandler, streamedHandler } from './http/streamed-handler.ts';
import type { TokenDeps } from './http/identify.ts';
import { router } from './http/router.ts';
import { wordsOf } from './http/tenant-rules.ts';
import { putScheduleRoute } from './http/put-schedule-route.ts';
import { scheduleRoutes } from './http/schedule-routes.ts';
import { stalledJobsRoute } from './http/stalled-jobs-route.ts';
import { batchRoute } from './http/batch-route.ts';
import { submitRoute } from './http/submit-route.ts';
import { throttled } from './http/throttled.ts';
import { usageRoute } from './http/usage-route.ts';
import { uploadRoute } from './http/upload-route.ts';
import { firingHandler } from './events/firing-handler.ts';
import { inlinePayloads } from './events/inline-payloads.ts';
import { type SchedulesHandler, schedulesHandler } from './events/schedules-handler.ts';
import { submitRun } from './events/submit-run.ts';
import { type NotifierHandler, notifierHandler } from './events/notifier-handler.ts';
import { webhookBody } from './events/webhook-body.ts';
import { type SweeperHandler, sweeperHandler } from './events/sweeper-handler.ts';
import { type WorkerHandler, workerHandler } from './events/worker-handler.ts';

/** `POST /jobs`, `POST /jobs/batch` */
export function composeSubmit(agents: AgentRegistry): HttpHandler {
  const env = readEnvironment(submitEnvironment, process.env);
  const telemetry = newTelemetry();
  const tracing = newTracing(env, telemetry);
  const client = tableClient(telemetry);
  const table = jobTable(env.JOB_TABLE, client);
  const queue = sqsJobQueue({
    client: metered(sqsClient(), telemetry),
    jobsUrl: env.JOB_QUEUE_URL,
    ...lanesOf(env),
  });
  const deps = {
    jobs: dynamoJobStore(table),
    payloads: s3PayloadStore({
      client: metered(s3Client(), telemetry),
      bucket: env.PAYLOAD_BUCKET,
      presignGet,
    }),
    queue: impatientQueue(queue, systemClock),
    hints: impatientBatches(queue, systemClock),
    runOnce: powertoolsRunOnce({ client, tableName: env.IDEMPOTENCY_TABLE }),
    clock: systemClock,
    ids: systemIdSource,
    retentionDays: env.RETENTION_DAYS,
    webhooks: { allowLoopback: env.WEBHOOKS_ALLOW_LOOPBACK },
    ...publishing(env.EVENT_BUS, telemetry),
    telemetry,
    tracing,
    agents,
  };
  const serve = router({ submitJob: submitRoute(deps), submitBatch: batchRoute(deps) });
  const handler = httpHandler(telemetry, throttled(throttleOf(table, telemetry), serve));
  return withCors(wordsOf(env.CORS_ORIGINS), flushing(tracing, handler));
}

/** Every route that is not served by a function of its own. */
export function composeApi(): HttpHandler {
  const env = readEnvironment(apiEnvironment, process.env);
  const telemetry = newTelemetry();
  const client = tableClient(telemetry);
  const sqs = metered(sqsClient(), telemetry);
  const table = jobTable(env.JOB_TABLE, client);
  const shared = jobParts(env, { sqs, table, telemetry });
  const deps = {
    ...shared,
    cursors: cursorSeal(dynamoSecretStore(table)),
    payloads: s3PayloadStore({
      client: metered(s3Client(), telemetry),
      bucket: env.PAYLOAD_BUCKET,
      presignGet,
      presignPut,
    }),
    queue: impatientQueue(shared.queue, systemClock),
    inbox: sqsDeadLetterInbox({ client: sqs, url: env.DEAD_LETTER_QUEUE_URL }),
    runOnce: powertoolsRunOnce({ client, tableName: env.IDEMPOTENCY_TABLE }),
  };
  const serve = router({
    ...apiRoutes(deps),
    ...commandRoutes(deps),
    ...deliveryRoutes(deps),
    ...deadLetterRoutes(deps),
    listStalledJobs: stalledJobsRoute(deps),
    createUpload: uploadRoute(deps),
    getUsage: usageRoute(deps),
  });
  const handler = httpHandler(telemetry, throttled(throttleOf(table, telemetry), serve));
  return withCors(wordsOf(env.CORS_ORIGINS), handler);
}

/** `/schedules`, and what their triggers start. */
export function composeSchedules(
  agents: AgentRegistry,
  configured: readonly ConfiguredSchedule[],
): SchedulesHandler {
  const env = readEnvironment(schedulesEnvironment, process.env);
  const telemetry = newTelemetry();
  const tracing = newTracing(env, telemetry);
  const table = jobTable(env.JOB_TABLE, tableClient(telemetry));
  const sqs = metered(sqsClient(), telemetry);
  const client = metered(schedulerClient(), telemetry);
  return schedulesHandler((ownArn) => {
    const trigger = eventBridgeTrigger({ client, group: env.SCHEDULE_GROUP }, () => ({
      functionArn: ownArn(),
      roleArn: env.SCHEDULE_ROLE_ARN,
      deadLetterArn: env.DEAD_LETTER_QUEUE_ARN,
    }));
    const deps = {
      schedules: dynamoScheduleStore(table),
      trigger,
      configured,
      maxPerTenant: env.SCHEDULES_PER_TENANT,
      jobs: dynamoJobStore(table),
      payloads: inlinePayloads,
      queue: impatientQueue(
        sqsJobQueue({ client: sqs, jobsUrl: env.JOB_QUEUE_URL, ...lanesOf(env) }),
        systemClock,
      ),
      tenants: dynamoTenantStore(table),
      clock: systemClock,
      ids: systemIdSource,
      retentionDays: env.RETENTION_DAYS,
      webhooks: { allowLoopback: env.WEBHOOKS_ALLOW_LOOPBACK },
      ...publishing(env.EVENT_BUS, telemetry),
      telemetry,
      tracing,
      agents,
    };
    const routes = router({ ...scheduleRoutes(deps), putSchedule: putScheduleRoute(deps) });
    const serve = httpHandler(telemetry, throttled(throttleOf(table, telemetry), routes));
    return {
      serve: withCors(wordsOf(env.CORS_ORIGINS), serve),
      fire: flushing(tracing, firingHandler({ ...deps, submit: (run) => submitRun(deps, run) })),
    };
  });
}

/** `GET /jobs/{jobId}/events` */
export function composeEvents(): StreamedHandler {
  const env = readEnvironment(eventsEnvironment, process.env);
  const clock = systemClock;
  const telemetry = newTelemetry();
  const table = jobTable(env.JOB_TABLE, tableClient(telemetry));
  const serve = eventsRoute({ jobs: dynamoJobStore(table), clock });
  const whenAdmitted = throttled(throttleOf(table, telemetry), serve);
  const origins = wordsOf(env.CORS_ORIGINS);
  return streamified(streamedHandler({ telemetry, clock, withHead, origins }, whenAdmitted));
}

export function composeAuthorizer(): Authorizer {
  const env = readEnvironment(authorizerEnvironment, process.env);
  const telemetry = newTelemetry();
  const table = jobTable(env.JOB_TABLE, tableClient(telemetry));
  const authorize = authorizer({
    keys: dynamoApiKeyStore(table),
    tenants: cachedTenants(dynamoTenantStore(table), systemClock),
    defaults: { requestsPerSecond: env.TENANT_REQUESTS_PER_SECOND },
    ...tokensOf(env),
    ids: systemIdSource,
    clock: systemClock,
    telemetry,
  });
  return async (event) => {
    try {
      return await authorize(event);
    } finally {
      telemetry.flush();
    }
  };
}

/** Tokens beside API keys, where an issuer is configured. */
function tokensOf(env: z.output<typeof authorizerEnvironment>): TokenDeps {
  if (env.JWT_ISSUER === '') return {};
  const rules = {
    issuer: env.JWT_ISSUER,
    audiences: wordsOf(env.JWT_AUDIENCE),
    tenantClaim: env.JWT_TENANT_CLAIM,
    scopeClaim: env.JWT_SCOPE_CLAIM,
    scopeMap: wordsOf(env.JWT_SCOPE_MAP).map((pair): [string, string] => {
      const at = pair.lastIndexOf('=');
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
    allowLoopback: env.JWT_ALLOW_LOOPBACK,
    ...(env.JWT_JWKS_URL !== '' && { jwksUrl: env.JWT_JWKS_URL }),
  };
  return { tokens: joseTokenVerifier(rules, { clock: systemClock }) };
}

/** Runs the jobs of a batch of hints. */
export function composeWorker(agents: AgentRegistry): WorkerHandler {
  const env = readEnvironment(workerEnvironment, process.env);
  const telemetry = newTelemetry();
  const tracing = newTracing(env, telemetry);
  const sqs = metered(sqsClient(), telemetry);
  const table = jobTable(env.JOB_TABLE, tableClient(telemetry));
  const lane = ownLane(env);
  return workerHandler({
    engine: {
      ...jobParts(env, { sqs, table, telemetry }),
      payloads: s3PayloadStore({
        client: metered(s3Client(), telemetry),
        bucket: env.PAYLOAD_BUCKET,
      }),
      agents,
      subJobs: { maxDepth: env.SUB_JOBS_MAX_DEPTH, maxPerJob: env.SUB_JOBS_MAX_PER_JOB },
      stepScope: systemStepScope,
      tracing,
    },
    leaseMs: env.LEASE_SECONDS * 1_000,
    lane,
    isIsolated: ({ eventSourceARN }) => isQueue(lane.isolationUrl, eventSourceARN),
    returnMessage: sqsReturnMessage({
      client: sqs,
      queueUrls: [lane.jobsUrl, lane.isolationUrl],
    }),
    flush: () => flushed(telemetry, tracing),
  });
}

/** Re-drives what is overdue. */
export function composeSweeper(): SweeperHandler {
  const env = readEnvironment(sweeperEnvironment, process.env);
  const telemetry = newTelemetry();
  const sqs = metered(sqsClient(), telemetry);
  const table = jobTable(env.JOB_TABLE, tableClient(telemetry));
  const sweeper = jobParts(env, { sqs, table, telemetry });
  const inbox = sqsDeadLetterInbox({ client: sqs, url: env.DEAD_LETTER_QUEUE_URL });
  return sweeperHandler({
    sweeper,
    tidy: { jobs: sweeper.jobs, inbox },
    intervalMs: env.SWEEP_INTERVAL_SECONDS * 1_000,
    deployment: {
      id: env.DEPLOYMENT,
      log: dynamoDeploymentLog(table),
      newForMs: env.QUIET_AFTER_DEPLOY_MINUTES * 60_000,
    },
    telemetry,
  });
}

/** Sends webhooks. */
export function composeNotifier(): NotifierHandler {
  const env = readEnvironment(notifierEnvironment, process.env);
  const telemetry = newTelemetry();
  const tracing = newTracing(env, telemetry);
  const table = jobTable(env.JOB_TABLE, tableClient(telemetry));
  const jobs = dynamoJobStore(table);
  const sqs = metered(sqsClient(), telemetry);
  return notifierHandler({
    jobs,
    sender: webhookSender({ allowLoopback: env.WEBHOOKS_ALLOW_LOOPBACK }),
    notifications: sqsNotificationQueue({ client: sqs, url: env.NOTIFICATION_QUEUE_URL }),
    undelivered: sqsUndeliveredQueue({ client: sqs, url: env.UNDELIVERED_QUEUE_URL }),
    secretsOf: cachedSecrets({
      secrets: dynamoWebhookSecretStore(table),
      newSecret: newWebhookSecret,
      now: () => systemClock.now(),
    }),
    bodyOf: (delivery) => webhookBody(jobs, delivery),
    policy: {
      firstRetryMs: env.WEBHOOKS_FIRST_RETRY_SECONDS * 1_000,
      giveUpAfterMs: env.WEBHOOKS_GIVE_UP_HOURS * 3_600_000,
    },
    clock: systemClock,
    ids: systemIdSource,
    telemetry,
    tracing,
    flush: () => flushed(telemetry, tracing),
  });
}

function newTelemetry(): FlushableTelemetry {
  const env = readEnvironment(loggingEnvironment, process.env);
  return powertoolsTelemetry({ showPayloads: env.LOG_PAYLOADS });
}

function newTracing(
  env: Pick<z.output<typeof workerEnvironment>, 'TRACING_SAMPLING_PERCENT' | 'OTLP_ENDPOINT'>,
  telemetry: FlushableTelemetry,
): FlushableTracing {
  return createTracing({
    samplingPercent: env.TRACING_SAMPLING_PERCENT,
    otlpEndpoint: env.OTLP_ENDPOINT,
    clock: systemClock,
    telemetry,
    variables: process.env,
  });
}

function throttleOf(table: Table, telemetry: FlushableTelemetry): ThrottleDeps {
  return { counter: dynamoRequestCounter(table), clock: systemClock, telemetry };
}

function tableClient(telemetry: FlushableTelemetry): DynamoDBClient {
  return metered(new DynamoDBClient(AWS_CLIENT), telemetry);
}

/** Where changes of status go, when the deployment has a bus for them. */
function publishing(bus: string | undefined, telemetry: FlushableTelemetry): { events?: EventBus } {
  if (bus === undefined) return {};
  return { events: eventBridgeBus({ client: metered(eventBridgeClient(), telemetry), name: bus }) };
}

/** Endpoints of tenants, kept in memory for a minute. */
function endpointsIn(table: Table) {
  return tenantEndpoints(cachedTenants(dynamoTenantStore(table), systemClock));
}

/** What api, worker and sweeper share: all that moves a job on, and does what one that has ended owes. */
function jobParts(
  env: Pick<
    z.output<typeof sweeperEnvironment>,
    | 'JOB_QUEUE_URL'
    | 'ISOLATION_QUEUE_URL'
    | 'WORKER_LANES'
    | 'DEAD_LETTER_QUEUE_URL'
    | 'NOTIFICATION_QUEUE_URL'
    | 'EVENT_BUS'
  >,
  { sqs, table, telemetry }: { sqs: SQSClient; table: Table; telemetry: FlushableTelemetry },
) {
  return {
    jobs: dynamoJobStore(table),
    usage: dynamoUsageStore(table),
    queue: sqsJobQueue({
      client: sqs,
      jobsUrl: env.JOB_QUEUE_URL,
      isolationUrl: env.ISOLATION_QUEUE_URL,
      ...lanesOf(env),
    }),
    deadLetters: sqsDeadLetterQueue({ client: sqs, url: env.DEAD_LETTER_QUEUE_URL }),
    notifications: sqsNotificationQueue({ client: sqs, url: env.NOTIFICATION_QUEUE_URL }),
    tenantEndpoints: endpointsIn(table),
    ...publishing(env.EVENT_BUS, telemetry),
    clock: systemClock,
    ids: systemIdSource,
    telemetry,
  };
}

function jobTable(name: string, client: DynamoDBClient): Table {
  return { name, client: documentClient(client), clock: systemClock };
}
