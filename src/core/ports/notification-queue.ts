/** A message for the notifier: a hint that a delivery is to be tried. Like those of jobs it carries no state. */
export interface DeliveryHint {
  readonly v: 1;
  readonly jobId: string;
  readonly deliveryId: string;
  readonly tenantId: string;
}

/** Hints for the notifier. */
export interface NotificationQueue {
  /** `delaySeconds` 0 to 900. */
  send(hint: DeliveryHint, options?: { readonly delaySeconds?: number }): Promise<void>;
}

/** What an operator finds of a delivery that was given up. No part of it is secret: of the URL it has the origin. */
export interface UndeliveredNotification {
  readonly v: 1;
  readonly jobId: string;
  readonly tenantId: string;
  readonly deliveryId: string;
  readonly event: string;
  readonly receiver: string;
  readonly failedTries: number;
  readonly lastStatus?: number;
  readonly lastError?: string;
  readonly givenUpAt: string;
}

/** Where an operator finds what was given up; sent at least once. */
export interface UndeliveredQueue {
  send(letter: UndeliveredNotification): Promise<void>;
}
