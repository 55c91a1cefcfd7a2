import type { EngineDeps } from '../engine/engine-deps.ts';
import type { Job } from '../job/job.ts';
import { jobFields } from '../trace/job-telemetry.ts';
import { type Delivery, ENDPOINT_OF_JOB } from './delivery.ts';
import { notifyEventOf, type NotifyEvent, wants } from './job-notify.ts';
import { type Endpoint, newDelivery, type Occasion } from './new-delivery.ts';

export type AnnounceDeps = Pick<
  EngineDeps,
  'jobs' | 'notifications' | 'tenantEndpoints' | 'ids' | 'clock' | 'telemetry'
>;

/** Whether anybody may want to be told of an event of the job; costs no request. */
export function isAnnounced({ notify, notifyTenant }: Job, event: NotifyEvent): boolean {
  return notifyTenant === true || (notify !== undefined && wants(notify, event));
}

/** Makes the deliveries of a final status, and hints at them. What is there already is somebody's already. */
export async function announceFinal(deps: AnnounceDeps, job: Job): Promise<void> {
  const event = notifyEventOf(job.status);
  if (event === undefined) return;
  const made = await putDeliveries(deps, { event, job, now: deps.clock.now() });
  await hintAt(deps, made);
}

/** Puts what is owed on an occasion; answers those that were not there. */
export async function putDeliveries(
  deps: AnnounceDeps,
  occasion: Occasion,
): Promise<readonly Delivery[]> {
  const endpoints = await endpointsOf(deps, occasion);
  const deliveries = endpoints.map((endpoint) => newDelivery(deps.ids, endpoint, occasion));
  const stored = await Promise.all(deliveries.map((each) => deps.jobs.putDelivery(each)));
  return deliveries.filter((_each, index) => stored[index] === 'stored');
}

/** A hint that is refused is made good by the sweeper. */
export async function hintAt(
  deps: Pick<AnnounceDeps, 'notifications' | 'telemetry'>,
  deliveries: readonly Delivery[],
): Promise<void> {
  await Promise.all(
    deliveries.map(async ({ jobId, deliveryId, tenantId, job }) => {
      try {
        await deps.notifications.send({ v: 1, jobId, deliveryId, tenantId });
      } catch (error) {
        deps.telemetry.log('warn', 'the hint at a delivery was refused; the sweeper will send it', {
          ...jobFields(job),
          deliveryId,
          error,
        });
      }
    }),
  );
}

async function endpointsOf(
  deps: AnnounceDeps,
  { event, job: { notify, notifyTenant, tenantId } }: Occasion,
): Promise<Endpoint[]> {
  const ofTenant = notifyTenant === true ? await deps.tenantEndpoints(tenantId) : [];
  return [
    ...(notify !== undefined && wants(notify, event)
      ? [{ id: ENDPOINT_OF_JOB, url: notify.url }]
      : []),
    ...ofTenant.filter((endpoint) => wants(endpoint, event)).map(({ id, url }) => ({ id, url })),
  ];
}
