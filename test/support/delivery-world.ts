import {
  MemoryNotificationQueue,
  MemoryUndeliveredQueue,
} from '../../src/adapters/memory/notification-queue.ts';
import { memoryJobStore } from '../../src/adapters/memory/job-store.ts';
import { systemIdSource } from '../../src/adapters/system/id-source.ts';
import { deliver, type DeliverDeps } from '../../src/core/notify/deliver.ts';
import type { Delivery } from '../../src/core/notify/delivery.ts';
import type { JobStore } from '../../src/core/ports/job-store.ts';
import type { WebhookAnswer, WebhookRequest } from '../../src/core/ports/webhook-sender.ts';
import { aDelivery, NOON } from './builders.ts';
import { type RecordingTelemetry, recordingTelemetry } from './http.ts';

const HOUR_MS = 3_600_000;

/** The notifier over stores in memory, a receiver that answers as a test says, and a clock that it turns. */
export class DeliveryWorld {
  readonly clock = { time: NOON, now: (): number => this.clock.time };
  readonly jobs: JobStore = memoryJobStore(this.clock);
  readonly notifications = new MemoryNotificationQueue(this.clock);
  readonly undelivered = new MemoryUndeliveredQueue();
  readonly telemetry: RecordingTelemetry = recordingTelemetry();
  readonly sent: WebhookRequest[] = [];
  /** What the receiver answers. */
  answer: (request: WebhookRequest) => WebhookAnswer | Promise<WebhookAnswer> = () => ({
    kind: 'answered',
    status: 200,
  });
  readonly deps: DeliverDeps = {
    jobs: this.jobs,
    sender: {
      send: async (request) => {
        this.sent.push(request);
        return this.answer(request);
      },
    },
    notifications: this.notifications,
    undelivered: this.undelivered,
    secretsOf: () => Promise.resolve(['whsec_c2VjcmV0']),
    bodyOf: ({ event }) => Promise.resolve(JSON.stringify({ type: event })),
    policy: { firstRetryMs: 5_000, giveUpAfterMs: 72 * HOUR_MS },
    clock: this.clock,
    ids: { ...systemIdSource, random: () => 0.5 },
    telemetry: this.telemetry,
  };

  /** Stores a delivery and answers its name. */
  async given(parts: Partial<Delivery> = {}): Promise<Delivery> {
    const delivery = aDelivery(parts);
    await this.jobs.putDelivery(delivery);
    return delivery;
  }

  async delivery(): Promise<Delivery> {
    const [delivery] = await this.jobs.listDeliveries('job-1');
    if (delivery === undefined) throw new Error('there is no delivery');
    return delivery;
  }

  /** One hint arrives. */
  async hint(deps: Partial<DeliverDeps> = {}): Promise<void> {
    await deliver({ ...this.deps, ...deps }, await this.delivery());
  }
}
