import type { Job } from '../../core/job/job.ts';
import { dueShard, jobIdOf, jobKey, tenantShard } from './keys.ts';
import type { Item } from './table.ts';

/**
 * Attributes kept as JSON text: they hold what callers and agents wrote, and DynamoDB's numbers would refuse or change some
 * of it. Everything else is native, so that conditions and indexes can read it.
 */
const TEXT_ATTRIBUTES: ReadonlySet<string> = new Set<keyof Job>([
  'cuts',
  'duties',
  'error',
  'hints',
  'metadata',
  'notify',
  'tags',
  'totals',
]);

/** Attributes of the item that are no part of the job. */
const ITEM_ATTRIBUTES: ReadonlySet<string> = new Set(['pk', 'sk', 'tenantShard', 'dueShard']);

/** `jobId` is in the key only: the item is billed by its whole size at every transition. */
export function toJobItem(job: Job): Item {
  const { jobId, ...attributes } = job;
  return {
    ...jobKey(jobId),
    tenantShard: tenantShard(job.tenantId, jobId),
    // Stays when `dueAt` goes: an item without its sort key is out of the index all the same, and the next transition
    // that sets `dueAt` need not write the shard again.
    dueShard: dueShard(jobId),
    ...encodeAttributes(attributes),
  };
}

export function fromJobItem(item: Item): Job {
  const job: Record<string, unknown> = { jobId: jobIdOf(item.pk as string) };
  for (const [name, value] of Object.entries(item)) {
    if (ITEM_ATTRIBUTES.has(name)) continue;
    job[name] = TEXT_ATTRIBUTES.has(name) ? JSON.parse(value as string) : value;
  }
  return job as unknown as Job;
}

/** Attributes as the item holds them; those without a value are left out. */
export function encodeAttributes(attributes: Partial<Omit<Job, 'jobId'>>): Item {
  const encoded: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(attributes) as [string, unknown][]) {
    if (value === undefined) continue;
    encoded[name] = TEXT_ATTRIBUTES.has(name) ? JSON.stringify(value) : value;
  }
  return encoded;
}
