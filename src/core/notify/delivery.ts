import type { Job } from '../job/job.ts';

/** What receivers are told of. */
export type DeliveryEvent = 'job.succeeded' | 'job.failed' | 'job.cancelled' | 'job.waiting';

export type DeliveryStatus =
  /** Will be tried, or is being tried. */
  | 'pending'
  | 'delivered'
  /** Given up: every try of its time failed. */
  | 'failed'
  /** The receiver answered 410: it wants no more of it. */
  | 'stopped';

export interface DeliveryTry {
  readonly at: number;
  /** HTTP status of the answer, when there was one. */
  readonly status?: number;
  /** Why there was none. */
  readonly error?: string;
  readonly durationMs: number;
}

/** The endpoint that a job names for itself; those of a tenant have ids of their own. */
export const ENDPOINT_OF_JOB = 'job';

/** One event of a job that one endpoint is owed. The id is the `webhook-id` of every try. */
export interface Delivery {
  readonly deliveryId: string;
  readonly jobId: string;
  readonly tenantId: string;
  readonly generation: number;
  readonly event: DeliveryEvent;
  /** `ENDPOINT_OF_JOB` or the id of an endpoint of the tenant. */
  readonly endpointId: string;
  readonly url: string;
  readonly status: DeliveryStatus;
  /** The newest of them. */
  readonly tries: readonly DeliveryTry[];
  /** Failed tries since it was made, or sent again by hand. */
  readonly failedTries: number;
  /** When that was: from here on it is tried for some days. */
  readonly triedSince: number;
  /**
   * Of a pending one: nobody tries before. Whoever tries moves it first, which keeps others away and is also the fence for
   * writing down what came of the try.
   */
  readonly nextTryAt?: number;
  /** Of a pending one: when the sweeper must look. */
  readonly dueAt?: number;
  readonly createdAt: number;
  /** The job in the moment of the event. */
  readonly job: JobSnapshot;
  readonly expiresAtSeconds: number;
}

/** What a notification may tell of a job. */
export type JobSnapshot = Omit<
  Job,
  | 'input'
  | 'fingerprint'
  | 'cuts'
  | 'hints'
  | 'duties'
  | 'dueAt'
  | 'owner'
  | 'ownerUntil'
  | 'joinPending'
  | 'notify'
>;

const DELIVERY_ID = /^msg_[0-9a-z]{1,26}$/;

/** Whether a text may be the id of a delivery; one that is too long for a key is not even looked up. */
export function isDeliveryId(text: string): boolean {
  return DELIVERY_ID.test(text);
}

/** Name of a delivery. */
export type DeliveryName = Pick<Delivery, 'jobId' | 'deliveryId'>;
