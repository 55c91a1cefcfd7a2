import type { JobStatus } from '../job/job.ts';
import type { DeliveryEvent } from './delivery.ts';

/** What somebody may want to hear of. */
export const NOTIFY_EVENTS = ['succeeded', 'failed', 'cancelled', 'waiting'] as const;
export type NotifyEvent = (typeof NOTIFY_EVENTS)[number];

/** Where a job's caller wants to be told. */
export interface JobNotify {
  readonly url: string;
  /** Default: all. */
  readonly events?: readonly NotifyEvent[];
}

export function wants(
  { events }: { readonly events?: readonly NotifyEvent[] },
  event: NotifyEvent,
): boolean {
  return events?.includes(event) ?? true;
}

/** The event of a status that somebody may be told of. */
export function notifyEventOf(status: JobStatus): NotifyEvent | undefined {
  return NOTIFY_EVENTS.find((event) => event === status);
}

export function jobEventOf(event: NotifyEvent): DeliveryEvent {
  return `job.${event}`;
}
