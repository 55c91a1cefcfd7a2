import type { PagePosition } from '../../core/ports/job-store.ts';
import { SHARDS } from '../../settings/names.ts';
import { shardOf } from '../../settings/shards.ts';

/** Primary key of an item. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

const JOB_PREFIX = 'JOB#';
const SLICE_PREFIX = 'SLICE#';
const KEY_PREFIX = 'KEY#';
const TENANT_PREFIX = 'TENANT#';
const SECRET_PREFIX = 'SECRET#';
const PAGE_PREFIX = 'J#';
const SIGNAL_PREFIX = 'SIGNAL#';
const CHILD_PREFIX = 'CHILD#';
const DELIVERY_PREFIX = 'DELIVERY#';
const SCHEDULE_PREFIX = 'SCHEDULE#';
const RUN_SUFFIX = '#RUN';

/** Partition of `by-tenant` that lists the API keys; no tenant can be called like that. */
export const API_KEYS_PARTITION = 'KEYS';
/** The same for the tenants that have settings. */
export const TENANTS_PARTITION = 'TENANTS';

/** Partition of `by-tenant` that lists the dead letters of a tenant: no tenant's own begins with capitals. */
export const deadLetterPartition = (tenantId: string): string => `DEAD#${tenantId}`;

export const jobPartition = (jobId: string): string => JOB_PREFIX + jobId;

export const jobKey = (jobId: string): Key => ({ pk: jobPartition(jobId), sk: 'JOB' });

/** A second payload under the same deterministic job id gets an item of its own, so it cannot overwrite the first one's. */
export const inputKey = (job: { jobId: string; fingerprint: string }): Key => ({
  pk: jobPartition(job.jobId),
  sk: `INPUT#${job.fingerprint.slice(0, 16)}`,
});

export const pageKey = (jobId: string, position: PagePosition): Key => ({
  pk: jobPartition(jobId),
  sk: pageSortKey(position),
});

export const resultKey = (job: { jobId: string; generation: number; epoch: number }): Key => ({
  pk: jobPartition(job.jobId),
  sk: `RESULT#${job.generation}#${job.epoch}`,
});

export const childKey = (parentId: string, childId: string): Key => ({
  pk: jobPartition(parentId),
  sk: CHILD_PREFIX + childId,
});

export const signalKey = (signal: { jobId: string; name: string; signalId: string }): Key => ({
  pk: jobPartition(signal.jobId),
  sk: `${SIGNAL_PREFIX}${escaped(signal.name)}#${escaped(signal.signalId)}`,
});

export const deliveryKey = (delivery: { jobId: string; deliveryId: string }): Key => ({
  pk: jobPartition(delivery.jobId),
  sk: DELIVERY_PREFIX + delivery.deliveryId,
});

/** Beside its job; the list of a tenant is found by `deadLetterPartition`. */
export const deadLetterKey = (jobId: string): Key => ({
  pk: jobPartition(jobId),
  sk: 'DEADLETTER',
});

export const sliceKey = (invocationId: string): Key => ({
  pk: SLICE_PREFIX + invocationId,
  sk: 'SLICE',
});

export const apiKeyKey = (hash: string): Key => ({ pk: KEY_PREFIX + hash, sk: 'KEY' });

export const tenantSettingsKey = (tenantId: string): Key => ({
  pk: TENANT_PREFIX + tenantId,
  sk: 'SETTINGS',
});

export const secretKey = (name: string): Key => ({ pk: SECRET_PREFIX + name, sk: 'SECRET' });

/** The one item that names the present deployment. */
export const DEPLOYMENT_KEY: Key = { pk: 'DEPLOYMENT', sk: 'DEPLOYMENT' };

export const webhookSecretsKey = (tenantId: string): Key => ({
  pk: TENANT_PREFIX + tenantId,
  sk: 'WEBHOOK_SECRETS',
});

export const usageKey = (tenantId: string, month: string): Key => ({
  pk: TENANT_PREFIX + tenantId,
  sk: `USAGE#${month}`,
});

/** Names of schedules have no `#`. */
export const scheduleKey = ({ tenantId, name }: { tenantId: string; name: string }): Key => ({
  pk: TENANT_PREFIX + tenantId,
  sk: SCHEDULE_PREFIX + name,
});

/** Beside its schedule, so that a run does not rewrite what it submits. */
export const scheduleRunKey = (id: { tenantId: string; name: string }): Key => ({
  pk: scheduleKey(id).pk,
  sk: scheduleKey(id).sk + RUN_SUFFIX,
});

/** Requests of a tenant in the window that starts then. */
export const requestCountKey = (tenantId: string, startsAt: number): Key => ({
  pk: TENANT_PREFIX + tenantId,
  sk: `REQUESTS#${startsAt}`,
});

/** Zero-padded, so that the order of keys is the order of pages. */
export function pageSortKey({ generation, seq }: PagePosition): string {
  return `${PAGE_PREFIX}${String(generation).padStart(4, '0')}#${String(seq).padStart(10, '0')}`;
}

/** Sort keys of one kind. */
export interface KeyRange {
  readonly from: string;
  readonly to: string;
}

export const SIGNAL_KEYS = keysWith(SIGNAL_PREFIX);
export const CHILD_KEYS = keysWith(CHILD_PREFIX);
export const DELIVERY_KEYS = keysWith(DELIVERY_PREFIX);
export const SCHEDULE_KEYS = keysWith(SCHEDULE_PREFIX);

/** `$` comes next to `#`. */
function keysWith(prefix: string): KeyRange {
  return { from: prefix, to: prefix.replace('#', '$') };
}

/** Behind every page of a generation. */
export const LAST_SEQ = 9_999_999_999;
/** Behind every generation of a journal. */
export const LAST_GENERATION = 9_999;

export function pagePosition(sortKey: string): PagePosition {
  const [, generation, seq] = sortKey.split('#');
  return { generation: Number(generation), seq: Number(seq) };
}

export function signalNameOf(sortKey: string): { name: string; signalId: string } {
  const [, name = '', signalId = ''] = sortKey.split('#');
  return { name: decodeURIComponent(name), signalId: decodeURIComponent(signalId) };
}

/**
 * Text without `#`, in the order of the text as it was: what sorts up to `%` gets a code that starts with `%`, so the end of
 * a name comes before everything that may follow in a longer one.
 */
function escaped(text: string): string {
  return text.replace(/[\0-%]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase();
    return `%${code.padStart(2, '0')}`;
  });
}

export const childIdOf = (sk: string): string => sk.slice(CHILD_PREFIX.length);
export const deliveryIdOf = (sk: string): string => sk.slice(DELIVERY_PREFIX.length);
export const scheduleNameOf = (sk: string): string =>
  sk.slice(SCHEDULE_PREFIX.length).replace(RUN_SUFFIX, '');
export const isScheduleRun = (sk: string): boolean => sk.endsWith(RUN_SUFFIX);
export const isDelivery = (sk: string): boolean => sk.startsWith(DELIVERY_PREFIX);
export const isPage = (sk: string): boolean => sk.startsWith(PAGE_PREFIX);
export const isSignal = (sk: string): boolean => sk.startsWith(SIGNAL_PREFIX);
export const isChild = (sk: string): boolean => sk.startsWith(CHILD_PREFIX);
export const jobIdOf = (pk: string): string => pk.slice(JOB_PREFIX.length);
export const invocationIdOf = (pk: string): string => pk.slice(SLICE_PREFIX.length);
export const hashOf = (pk: string): string => pk.slice(KEY_PREFIX.length);
export const tenantIdOf = (pk: string): string => pk.slice(TENANT_PREFIX.length);
export const isJobPartition = (pk: string): boolean => pk.startsWith(JOB_PREFIX);

/** Part of the list of its tenant's jobs that a job is in. */
export const listShard = (jobId: string): number => shardOf(jobId, SHARDS.byTenant);

export const tenantPartition = (tenantId: string, shard: number): string => `${tenantId}#${shard}`;

export const tenantShard = (tenantId: string, jobId: string): string =>
  tenantPartition(tenantId, listShard(jobId));

export const dueShard = (id: string): string => String(shardOf(id, SHARDS.due));
