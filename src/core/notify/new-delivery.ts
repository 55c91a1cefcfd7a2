import { sizeBytes } from '../engine/json-value.ts';
import type { Job } from '../job/job.ts';
import { QUEUED_DUE_MS } from '../policy/limits.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { Delivery, JobSnapshot } from './delivery.ts';
import { jobEventOf, type NotifyEvent } from './job-notify.ts';

/** Where notifications go. */
export interface Endpoint {
  readonly id: string;
  readonly url: string;
}

export interface Occasion {
  readonly event: NotifyEvent;
  /** The job as it is told of. */
  readonly job: Job;
  /** Tells apart what may happen more than once in a generation: the step that waits. */
  readonly detail?: string;
  readonly now: number;
}

/**
 * A delivery whose id follows from job, generation, event and endpoint, so that whoever makes it again after a crash makes
 * the same one: a receiver sees one `webhook-id`, however often it is told.
 */
export function newDelivery(ids: IdSource, endpoint: Endpoint, occasion: Occasion): Delivery {
  const { event: notifyEvent, job, detail = '', now } = occasion;
  const { jobId, tenantId, generation, expiresAtSeconds } = job;
  const event = jobEventOf(notifyEvent);
  const parts = [jobId, String(generation), event, endpoint.id, detail];
  return {
    deliveryId: `msg_${ids.deriveId('delivery', ...parts)}`,
    jobId,
    tenantId,
    generation,
    event,
    endpointId: endpoint.id,
    url: endpoint.url,
    status: 'pending',
    tries: [],
    failedTries: 0,
    triedSince: now,
    nextTryAt: now,
    dueAt: now + QUEUED_DUE_MS,
    createdAt: now,
    job: snapshotOf(job),
    expiresAtSeconds,
  };
}

/** Of a larger job only the error's own message is told. */
const SNAPSHOT_BYTES = 64 * 1024;

function snapshotOf(job: Job): JobSnapshot {
  const {
    input: _input,
    fingerprint: _fingerprint,
    cuts: _cuts,
    hints: _hints,
    duties: _duties,
    dueAt: _dueAt,
    owner: _owner,
    ownerUntil: _ownerUntil,
    joinPending: _joinPending,
    notify: _notify,
    ...snapshot
  } = job;
  const { error } = snapshot;
  if (error?.cause === undefined || sizeBytes(JSON.stringify(snapshot)) <= SNAPSHOT_BYTES)
    return snapshot;
  const { cause: _cause, ...brief } = error;
  return { ...snapshot, error: brief };
}
