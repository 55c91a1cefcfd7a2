/** Names that infrastructure and handlers share; typed once, so that the two sides cannot drift apart. */

export const TABLE_KEYS = { partition: 'pk', sort: 'sk', ttl: 'expiresAtSeconds' } as const;

/** Both indexes are keys-only; their partitions are strings, their sort keys numbers. */
export const INDEXES = {
  byTenant: { name: 'by-tenant', partition: 'tenantShard', sort: 'createdAt' },
  due: { name: 'due', partition: 'dueShard', sort: 'dueAt' },
} as const;

/**
 * Shards of the index partitions. A partition takes 1,000 write units a second; a job costs one in `by-tenant` and two
 * in `due`, so these carry 4,000 jobs a second of one tenant and as many of all together.
 */
export const SHARDS = { byTenant: 4, due: 8 } as const;

export const METRICS = {
  namespace: 'Longhaul',
  service: 'longhaul',
  names: {
    jobsSubmitted: 'JobsSubmitted',
    /** Submits that were answered with an earlier one's job; its share of all is the duplicate rate. */
    submitsReplayed: 'SubmitsReplayed',
    /** Jobs accepted and stored whose message SQS refused; the sweeper sends it. */
    enqueueFailed: 'EnqueueFailed',
    /** First claims. */
    jobsStarted: 'JobsStarted',
    /** Waits begun, by `reason`. */
    jobsSuspended: 'JobsSuspended',
    jobsSucceeded: 'JobsSucceeded',
    jobsFailed: 'JobsFailed',
    /** The same by `code` of the error. */
    jobsFailedByCode: 'JobsFailedByCode',
    jobsCancelled: 'JobsCancelled',
    deadLetters: 'DeadLetters',
    journalConflicts: 'JournalConflicts',
    leasesLost: 'LeasesLost',
    jobsPerInvocation: 'JobsPerInvocation',
    /** Of the time that an invocation's jobs could have had at work, the share in which they were. */
    slotUsePercent: 'SlotUsePercent',
    /** One try of a step. */
    stepMs: 'StepMs',
    /** One job in one invocation. */
    sliceMs: 'SliceMs',
    /** From the start of a slice to its first new step. */
    replayMs: 'ReplayMs',
    /** From the last sign of life of a crashed attempt to the claim of the next one. */
    resumeMs: 'ResumeMs',
    endToEndMs: 'EndToEndMs',
    queueWaitMs: 'QueueWaitMs',
    /** Looks of the sweeper: silence means that nothing recovers. */
    sweeps: 'Sweeps',
    /** By `kind`. */
    sweeperFinds: 'SweeperFinds',
    /** Unfinished jobs that were due more than a minute ago, at each look. */
    overdueJobs: 'OverdueJobs',
    /** 1 for some minutes after a deploy. */
    deploying: 'Deploying',
    agentMissing: 'AgentMissing',
    agentRefused: 'AgentRefused',
    earlyYields: 'EarlyYields',
    /** Requests that the functions made to DynamoDB, SQS and S3. */
    awsRequests: 'AwsRequests',
    /** Write units of the tables, indexes included, as DynamoDB reports them. */
    writeUnits: 'WriteUnits',
    readUnits: 'ReadUnits',
    /** By a filter of the worker's log. */
    outOfMemory: 'WorkerOutOfMemory',
    /** Webhooks that a receiver took. */
    notificationsDelivered: 'NotificationsDelivered',
    notificationTriesFailed: 'NotificationTriesFailed',
    /** After every try of their time. */
    notificationsGivenUp: 'NotificationsGivenUp',
    /** Jobs submitted by schedules, double firings included. */
    scheduleRuns: 'ScheduleRuns',
    /** Runs of schedules that were refused as a submission would be. */
    scheduleRunsFailed: 'ScheduleRunsFailed',
  },
} as const;

export type MetricName = (typeof METRICS.names)[keyof typeof METRICS.names];

/** Alarms; `docs/runbook.md` has a section of the same name for each. */
export const ALARMS = {
  /** Over all the others. */
  anyAlarm: 'AnyAlarm',
  deadLetterQueueNotEmpty: 'DeadLetterQueueNotEmpty',
  deadLettersGrowing: 'DeadLettersGrowing',
  oldestMessageTooOld: 'OldestMessageTooOld',
  jobsOverdue: 'JobsOverdue',
  sweeperSilent: 'SweeperSilent',
  endToEndSlow: 'EndToEndSlow',
  enqueueFailed: 'EnqueueFailed',
  workerErrors: 'WorkerErrors',
  workerThrottled: 'WorkerThrottled',
  workerOutOfMemory: 'WorkerOutOfMemory',
  workerRecursionDropped: 'WorkerRecursionDropped',
  agentMissing: 'AgentMissing',
  apiServerErrors: 'ApiServerErrors',
  tableThrottled: 'TableThrottled',
  undeliveredQueueNotEmpty: 'UndeliveredQueueNotEmpty',
  scheduleRunsFailed: 'ScheduleRunsFailed',
} as const;

/** How changes of status are marked on an event bus: rules match these. */
export const STATUS_EVENTS = {
  source: 'longhaul',
  detailType: 'Longhaul Job Status Change',
} as const;

/** Message attribute that repeats the SQS message group, because the emulators do not return the system attribute. */
export const MESSAGE_GROUP_ATTRIBUTE = 'MessageGroupId';

/** Key prefix of the idempotency records; fixed, since Powertools' default is the function name, which a deploy may change. */
export const IDEMPOTENCY_KEY_PREFIX = 'submit';
