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
    submitsReplayed: 'SubmitsReplayed',
    enqueueFailed: 'EnqueueFailed',
    jobsSucceeded: 'JobsSucceeded',
    jobsFailed: 'JobsFailed',
    jobsCancelled: 'JobsCancelled',
    deadLetters: 'DeadLetters',
    journalConflicts: 'JournalConflicts',
    leasesLost: 'LeasesLost',
    jobsPerInvocation: 'JobsPerInvocation',
    endToEndMs: 'EndToEndMs',
    queueWaitMs: 'QueueWaitMs',
    sweeperFinds: 'SweeperFinds',
    agentMissing: 'AgentMissing',
    agentRefused: 'AgentRefused',
    earlyYields: 'EarlyYields',
  },
} as const;

export type MetricName = (typeof METRICS.names)[keyof typeof METRICS.names];

/** Alarms; `docs/runbook.md` has a section of the same name for each. */
export const ALARMS = { deadLetterQueueNotEmpty: 'DeadLetterQueueNotEmpty' } as const;

/** Message attribute that repeats the SQS message group, because the emulators do not return the system attribute. */
export const MESSAGE_GROUP_ATTRIBUTE = 'MessageGroupId';

/** Key prefix of the idempotency records; fixed, since Powertools' default is the function name, which a deploy may change. */
export const IDEMPOTENCY_KEY_PREFIX = 'submit';
