import { type ConfigKey, flag, oneOf, text, whole } from './config-key.ts';
import { lanes } from './config-lanes.ts';
import { tags } from './config-open-keys.ts';
import { WORKER_KEYS } from './config-worker-keys.ts';
import { DEFAULTS } from '../src/settings/defaults.ts';
import { SCOPES } from '../src/protocol/routes.ts';
import type { ConfigPath, ConfigValue } from './config.ts';

/** Days CloudWatch Logs accepts as a retention. */
const LOG_RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288,
  3653,
] as const;

const ISSUER = /^(?:https?:\/\/[^\s?#]+)?$/;
const ENDPOINT = /^(?:https?:\/\/[^\s?#@]+)?$/;
const ORIGINS = /^(?:\*|(?:https?:\/\/[^\s/?#]+(?: (?=\S)|$))*)$/;
const WORDS = /^(?:\S+(?: \S+)*)?$/;
const SCOPE_MAP = new RegExp(`^(?:\\S+=(?:${SCOPES.join('|')})(?: (?=\\S)|$))*$`);

const KEY_ARN =
  /^(?:arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|mrk-[0-9a-f]{32}))?$/;
const WEB_ACL_ARN =
  /^(?:arn:aws[a-z-]*:wafv2:[a-z0-9-]+:\d{12}:regional\/webacl\/[\w-]+\/[a-f0-9-]+)?$/;
const VPC_ENDPOINTS = /^(?:vpce-[a-f0-9]+(?: (?=\S)|$))*$/;

/** Every configuration key there is; `docs/configuration.md` lists the same. */
export const CONFIG_KEYS: { readonly [Path in ConfigPath]: ConfigKey<ConfigValue<Path>> } = {
  environment: oneOf(['development', 'production'], {
    default: 'production',
    effect:
      'production keeps tables, bucket and logs when the stack is deleted and turns on deletion protection of the tables and point-in-time recovery of the job table; development deletes them',
  }),
  retentionDays: whole(1, 3_650, {
    default: DEFAULTS.retentionDays,
    effect: 'how long a job and its payloads are kept after its deadline',
  }),
  leaseSeconds: whole(3, 300, {
    default: DEFAULTS.leaseSeconds,
    effect:
      'how long an invocation may be silent before its jobs are taken from it; a crash is noticed within this time',
  }),
  sweepIntervalSeconds: whole(1, 60, {
    default: 10,
    effect: 'how often the sweeper looks for overdue jobs within its minute',
  }),
  'worker.timeoutSeconds': WORKER_KEYS.timeoutSeconds,
  'worker.memoryMb': WORKER_KEYS.memoryMb,
  'worker.batchSize': WORKER_KEYS.batchSize,
  'worker.batchingWindowSeconds': WORKER_KEYS.batchingWindowSeconds,
  'worker.maxConcurrency': WORKER_KEYS.maxConcurrency,
  'worker.reservedConcurrency': WORKER_KEYS.reservedConcurrency,
  workers: lanes({
    effect:
      'workers of their own for some agents, each with queues, memory, time and concurrency of its own; what one leaves out is as in worker',
  }),
  'subJobs.maxDepth': whole(1, 20, {
    default: 5,
    effect:
      'how deep sub-jobs may have sub-jobs; the job a client submitted has depth 0, and a spawn below fails with children_exceeded',
  }),
  'subJobs.maxPerJob': whole(1, 10_000, {
    default: 1_000,
    effect: 'most sub-jobs of one job; the next spawn fails with children_exceeded',
  }),
  'events.reservedConcurrency': whole(0, 1_000, {
    default: 0,
    effect:
      'event streams open at once, kept free for them in the concurrency of the account; above it callers get 503 and poll; 0 reserves nothing and lets them take what the account has',
  }),
  'webhooks.firstRetrySeconds': whole(1, 3_600, {
    default: 5,
    effect:
      'ceiling of the pause after the first failed try of a webhook; each further one is three times as long, up to eight hours',
  }),
  'webhooks.giveUpHours': whole(1, 336, {
    default: 72,
    effect: 'how long a webhook is tried before it is given up',
  }),
  'webhooks.allowLoopback': flag({
    default: false,
    effect:
      'whether webhooks may go to this very machine, by http too: for the local runtime, whose receivers are there',
  }),
  schedulesPerTenant: whole(0, 500, {
    default: 100,
    effect:
      'schedules that a tenant may have, those of the configuration not counted; more are refused with too_many_schedules, and 0 allows none',
  }),
  eventBus: text(/^(?:[A-Za-z0-9._/-]{1,256})?$/, 'empty, new, or the name of an event bus', {
    default: '',
    effect:
      'bus of EventBridge that changes of job statuses are put on: new makes one, another name (default for instance) means one of this account and region; empty puts them nowhere',
  }),
  'apiThrottle.rateLimit': whole(1, 10_000, {
    default: 1_000,
    effect: 'requests a second the API takes; above it callers get 429',
  }),
  'apiThrottle.burstLimit': whole(1, 5_000, {
    default: 2_000,
    effect: 'requests the API takes at once on top of the rate',
  }),
  corsOrigins: text(ORIGINS, 'origins separated by blanks, or *', {
    default: '',
    effect:
      'origins of web pages whose scripts may call the API, such as https://app.example.com; * allows all, empty none',
  }),
  tenantRequestsPerSecond: whole(0, 10_000, {
    default: 0,
    effect:
      'requests a second that a tenant may send, on average over ten seconds; above it callers get 429; settings of a tenant go first, 0 is no limit',
  }),
  'jwt.issuer': text(ISSUER, 'an https URL, or empty', {
    default: '',
    effect:
      'whose tokens are taken beside API keys, as their claim iss has it; empty: API keys only',
  }),
  'jwt.audience': text(WORDS, 'one or several words', {
    default: '',
    effect: 'the claim aud of tokens for this API; one of several separated by blanks',
  }),
  'jwt.jwksUrl': text(ISSUER, 'an https URL, or empty', {
    default: '',
    effect:
      'where the issuer publishes its keys; empty: its discovery document (OpenID Connect) says where',
  }),
  'jwt.tenantClaim': text(/^\S+$/, 'a word', {
    default: 'tenant',
    effect: 'name of the claim that holds the tenant id',
  }),
  'jwt.scopeClaim': text(/^\S+$/, 'a word', {
    default: 'scope',
    effect:
      'name of the claim that holds the scopes, as text with blanks between them or as a list',
  }),
  'jwt.scopeMap': text(
    SCOPE_MAP,
    `pairs theirs=ours separated by blanks, ours one of ${SCOPES.join(', ')}, or empty`,
    {
      default: '',
      effect:
        'what scopes of the issuer are here; a name may come several times; empty: they have our names',
    },
  ),
  'jwt.allowLoopback': flag({
    default: false,
    effect:
      'whether issuer and keys may be on this very machine, by http: for the local runtime, which reaches an issuer there',
  }),
  apiAccessLogs: oneOf(['newRole', 'existingRole', 'off'], {
    default: 'newRole',
    effect:
      'log line for each request, also for those that no function sees; newRole sets the role by which API Gateway logs in this account and region, existingRole goes by the one that is set',
  }),
  'alarms.email': text(/^(?:[^\s@]+@[^\s@]+)?$/, 'an e-mail address or nothing', {
    default: '',
    effect:
      'who gets a mail when an alarm goes off or ends, after confirming the subscription; the topic is there in any case',
  }),
  'alarms.runbookUrl': text(/^\S+$/, 'an address without blanks', {
    default: 'docs/runbook.md',
    effect: 'where the runbook can be read; each alarm links to its section there',
  }),
  'alarms.deadLettersPerFiveMinutes': whole(0, 1_000_000, {
    default: 10,
    effect: 'dead letters in five minutes above which DeadLettersGrowing goes off',
  }),
  'alarms.oldestMessageSeconds': whole(1, 345_600, {
    default: 300,
    effect: 'age of the oldest message above which OldestMessageTooOld goes off',
  }),
  'alarms.overdueJobs': whole(0, 1_000_000, {
    default: 0,
    effect: 'jobs found overdue in fifteen minutes above which JobsOverdue goes off',
  }),
  'alarms.endToEndSeconds': whole(1, 34_560_000, {
    default: 86_400,
    effect: 'time from submit to end that 95 of 100 jobs keep; EndToEndSlow goes off above it',
  }),
  'alarms.workerErrorsPerFiveMinutes': whole(0, 1_000_000, {
    default: 0,
    effect: 'failed invocations of the worker in five minutes above which WorkerErrors goes off',
  }),
  'alarms.apiServerErrorsPerFiveMinutes': whole(0, 1_000_000, {
    default: 5,
    effect: 'answers with 5xx in five minutes above which ApiServerErrors goes off',
  }),
  'alarms.quietAfterDeployMinutes': whole(0, 60, {
    default: 10,
    effect: 'how long after a deploy the alarm over all alarms stays quiet',
  }),
  logLevel: oneOf(['DEBUG', 'INFO', 'WARN', 'ERROR'], {
    default: 'INFO',
    effect: 'least level that the functions log',
  }),
  logPayloads: flag({
    default: false,
    effect:
      'whether debug lines show inputs and outcomes, up to 4,096 characters and without fields that are named like secrets; for a stage without real data',
  }),
  logRetentionDays: oneOf(LOG_RETENTION_DAYS, {
    default: 30,
    effect: 'how long the log groups of the functions and the API keep their entries',
  }),
  'tracing.mode': oneOf(['xray', 'otel', 'none'], {
    default: 'xray',
    effect:
      'where traces of jobs go: xray to AWS X-Ray, with traces of the API and of each invocation beside them; otel to an OpenTelemetry collector; none nowhere',
  }),
  'tracing.samplingPercent': whole(0, 100, {
    default: 5,
    effect:
      'how many of a hundred jobs are traced; a caller that sends traceparent decides for its own',
  }),
  'tracing.otlpEndpoint': text(ENDPOINT, 'an http or https URL without a query, or empty', {
    default: '',
    effect:
      'collector for tracing.mode otel, which takes OTLP over HTTP as JSON at /v1/traces below it',
  }),
  'encryption.customerKey': flag({
    default: false,
    effect:
      'makes a KMS key of your own, rotated every year, that encrypts tables, bucket, queues, topic, event bus and log groups in place of the keys of AWS',
  }),
  'encryption.kmsKeyArn': text(KEY_ARN, 'the ARN of a KMS key (no alias), or empty', {
    default: '',
    effect:
      'the same with a key that is there, in this account and region; its policy must let the services use it',
  }),
  'api.waf': flag({
    default: false,
    effect:
      'makes a web ACL for the API: rules that AWS keeps against known attacks, and a limit for each address; costs by the month and request',
  }),
  'api.wafWebAclArn': text(WEB_ACL_ARN, 'the ARN of a regional web ACL, or empty', {
    default: '',
    effect: 'a web ACL that is there, put before the API',
  }),
  'api.wafRequestsPerFiveMinutes': whole(10, 2_000_000_000, {
    default: 20_000,
    effect: 'requests of one address in five minutes above which api.waf refuses it',
  }),
  'api.vpcEndpoints': text(VPC_ENDPOINTS, 'ids vpce-… separated by blanks, or empty', {
    default: '',
    effect:
      'makes the API private: only who comes through one of these interface endpoints for execute-api reaches it; empty: it is on the internet',
  }),
  tags: tags({ effect: 'put on every resource that takes tags' }),
};
