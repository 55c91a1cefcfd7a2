import { hintAt } from '../notify/announce.ts';
import { type Delivery, isDeliveryId } from '../notify/delivery.ts';
import { QUEUED_DUE_MS } from '../policy/limits.ts';
import type { Clock } from '../ports/clock.ts';
import type { JobStore } from '../ports/job-store.ts';
import type { NotificationQueue } from '../ports/notification-queue.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { JobCommand } from './control-job.ts';
import { findOwnJob } from './read-job.ts';

export interface DeliveryDeps {
  readonly jobs: Pick<JobStore, 'getJob' | 'listDeliveries' | 'getDelivery' | 'replaceDelivery'>;
  readonly notifications: NotificationQueue;
  readonly clock: Pick<Clock, 'now'>;
  readonly telemetry: Telemetry;
}

/** Deliveries of the caller's job, oldest first; undefined when there is no such job. */
export async function listOwnDeliveries(
  deps: Pick<DeliveryDeps, 'jobs'>,
  command: JobCommand,
): Promise<readonly Delivery[] | undefined> {
  const job = await findOwnJob(deps.jobs, command);
  if (job === undefined) return undefined;
  const deliveries = await deps.jobs.listDeliveries(job.jobId);
  return deliveries.sort(
    (a, b) => a.createdAt - b.createdAt || (a.deliveryId < b.deliveryId ? -1 : 1),
  );
}

export type ResendResult =
  | { readonly outcome: 'done'; readonly delivery: Delivery }
  | { readonly outcome: 'no_job' }
  | { readonly outcome: 'no_delivery' };

/**
 * Tries a delivery again, under the same id, for as long as a new one. One that is pending is left as it is, so that asking
 * twice is asking once.
 */
export async function resendDelivery(
  deps: DeliveryDeps,
  command: JobCommand & { readonly deliveryId: string },
): Promise<ResendResult> {
  const { jobId, deliveryId } = command;
  if ((await findOwnJob(deps.jobs, command)) === undefined) return { outcome: 'no_job' };
  if (!isDeliveryId(deliveryId)) return { outcome: 'no_delivery' };
  for (;;) {
    const found = await deps.jobs.getDelivery({ jobId, deliveryId });
    if (found === undefined) return { outcome: 'no_delivery' };
    if (found.status === 'pending') return { outcome: 'done', delivery: found };
    const now = deps.clock.now();
    const delivery: Delivery = {
      ...found,
      status: 'pending',
      failedTries: 0,
      triedSince: now,
      nextTryAt: now,
      dueAt: now + QUEUED_DUE_MS,
    };
    if (!(await deps.jobs.replaceDelivery(delivery, found))) continue;
    await hintAt(deps, [delivery]);
    return { outcome: 'done', delivery };
  }
}
