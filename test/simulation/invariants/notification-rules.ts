import type { Job } from '../../../src/core/job/job.ts';
import type { Delivery } from '../../../src/core/notify/delivery.ts';
import { type NotifyEvent, notifyEventOf, wants } from '../../../src/core/notify/job-notify.ts';
import type { World } from '../world/world.ts';

type Violate = (invariant: string, message: string) => void;

/** What must hold of a delivery in the moment that it is written. */
export function checkDelivery(
  delivery: Delivery,
  { final, violate }: { readonly final: Job | undefined; readonly violate: Violate },
): void {
  const { jobId, generation, event, deliveryId, status, nextTryAt, dueAt } = delivery;
  const isPending = status === 'pending';
  if (isPending !== (dueAt !== undefined) || isPending !== (nextTryAt !== undefined))
    violate('I6', `${deliveryId} is ${status}, due ${String(dueAt)}, next ${String(nextTryAt)}`);
  if (event !== 'job.waiting' && event !== `job.${final?.status ?? ''}`)
    violate('I6', `${event} of ${jobId} g${generation} was told of before it was so`);
}

/** A job that lets go to wait for a signal has told that it will. */
export function checkWaitTold(
  job: Job,
  { deliveries, violate }: { deliveries: readonly Delivery[]; violate: Violate },
): void {
  if (job.status !== 'waiting' || job.waitingFor !== 'signal') return;
  if (!isAsked(job, 'waiting')) return;
  const isTold = deliveries.some(
    ({ event, generation, job: told }) =>
      event === 'job.waiting' && generation === job.generation && told.waitingOn === job.waitingOn,
  );
  if (!isTold) violate('I6', `${job.jobId} waits for ${job.waitingOn ?? '?'} and nobody is told`);
}

/** Each final status that somebody asked about was told of, under one id; nothing is still owed. */
export function checkNotifications({ ledger, storage, violate }: World): void {
  const sent = new Set(ledger.webhooks);
  const all = [...storage.deliveries.values()];
  for (const { deliveryId, status } of all) {
    if (status !== 'delivered') violate('I6', `${deliveryId} is still ${status}`);
    if (!sent.has(deliveryId)) violate('I6', `${deliveryId} was never sent`);
  }
  for (const [jobId, finals] of ledger.finals) {
    for (const [generation, job] of finals) {
      const event = notifyEventOf(job.status);
      if (event === undefined || !isAsked(job, event)) continue;
      const told = all.filter(
        (delivery) =>
          delivery.jobId === jobId &&
          delivery.generation === generation &&
          delivery.event !== 'job.waiting',
      );
      if (told.length !== 1)
        violate('I6', `${jobId} g${generation} was ${job.status}: told under ${told.length} ids`);
    }
  }
}

function isAsked({ notify }: Job, event: NotifyEvent): boolean {
  return notify !== undefined && wants(notify, event);
}
