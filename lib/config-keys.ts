import { type ConfigKey, flag, oneOf, text, whole } from './config-key.ts';
import { DEFAULTS } from '../src/settings/defaults.ts';
import { SCOPES } from '../src/protocol/routes.ts';
import type { ConfigPath, ConfigValue } from './config.ts';

/** Days CloudWatch Logs accepts as a retention. */
const LOG_RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288,
  3653,
] as const;

const ISSUER = /^(?:https?:\/\/[^\s?#]+)?$/;
const ORIGINS = /^(?:\*|(?:https?:\/\/[^\s/?#]+(?: (?=\S)|$))*)$/;
const WORDS = /^(?:\S+(?: \S+)*)?$/;
const SCOPE_MAP = new RegExp(`^(?:\\S+=(?:${SCOPES.join('|')})(?: (?=\\S)|$))*$`);

/** Every configuration key there is; `docs/configuration.md` lists the same. */
export const CONFIG_KEYS: { readonly [Path in ConfigPath]: ConfigKey<ConfigValue<Path>> } = {
  environment: oneOf(['development', 'production'], {
    default: 'production',
    effect:
      'production keeps tables, bucket and logs when the stack is deleted and turns on point-in-time recovery of the job table; development deletes them',
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
  'worker.timeoutSeconds': whole(30, 900, {
    default: DEFAULTS.worker.timeoutSeconds,
    effect:
      'longest invocation of the worker; longer jobs continue in a new slice, and no step may take longer',
  }),
  'worker.memoryMb': whole(128, 10_240, {
    default: DEFAULTS.worker.memoryMb,
    effect: 'memory of the worker; CPU grows with it, one full vCPU at 1,769',
  }),
  'worker.batchSize': whole(1, 1_000, {
    default: DEFAULTS.worker.batchSize,
    effect: 'most jobs that share one invocation; above 10 needs a batching window',
  }),
  'worker.batchingWindowSeconds': whole(0, 300, {
    default: DEFAULTS.worker.batchingWindowSeconds,
    effect: 'how long the queue gathers messages before it invokes the worker',
  }),
  'worker.maxConcurrency': whole(2, 1_000, {
    default: DEFAULTS.worker.maxConcurrency,
    effect: 'most concurrent invocations of the worker for each of its two queues',
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
  logRetentionDays: oneOf(LOG_RETENTION_DAYS, {
    default: 30,
    effect: 'how long the log groups of the functions and the API keep their entries',
  }),
  tracing: flag({
    default: true,
    effect: 'X-Ray tracing of the API and the functions',
  }),
};
