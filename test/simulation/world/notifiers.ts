import type { SQSRecord } from 'aws-lambda';
import { notifierHandler } from '../../../lambdas/events/notifier-handler.ts';
import type { EngineDeps } from '../../../src/core/engine/engine-deps.ts';
import type { DeliveryHint } from '../../../src/core/ports/notification-queue.ts';
import type { WebhookAnswer } from '../../../src/core/ports/webhook-sender.ts';
import type { Weather } from './faults.ts';
import type { Ledger } from './ledger.ts';
import type { Network } from './network.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';
import { SimProcess } from './sim-process.ts';

export interface NotifiersOptions {
  readonly scheduler: Scheduler;
  readonly network: Network;
  readonly random: Random;
  readonly weather: Weather;
  readonly ledger: Ledger;
  readonly isFair: () => boolean;
  readonly depsOf: (process: SimProcess) => EngineDeps;
}

const HIDE_MS = 60_000;
const MAX_RECEIVES = 5;
const POLICY = { firstRetryMs: 5_000, giveUpAfterMs: 72 * 3_600_000 };
const SECRETS = ['whsec_c2VjcmV0'];

/** The notifications queue, the environments of the notifier, and a receiver that fails now and then. */
export class Notifiers {
  readonly #options: NotifiersOptions;
  #count = 0;

  constructor(options: NotifiersOptions) {
    this.#options = options;
  }

  /** Like the queues of jobs: at least once, late, and what its sender takes for sent may never have been. */
  send(hint: DeliveryHint, { delaySeconds = 0 } = {}): void {
    const { random, weather, isFair } = this.#options;
    const isBad = (probability: number): boolean => !isFair() && random.chance(probability);
    if (isBad(weather.loseMessage)) return;
    const copies = isBad(weather.duplicateMessage) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      const lateMs = isBad(weather.delayMessage)
        ? random.magnitude(100, 600_000)
        : random.between(1, 300);
      this.#receive(JSON.stringify(hint), delaySeconds * 1_000 + lateMs, 1);
    }
  }

  /** A message whose notifier died or failed comes back after its visibility timeout. */
  #receive(body: string, afterMs: number, receives: number): void {
    const { scheduler, random, weather } = this.#options;
    scheduler.in(afterMs, () => {
      const process = new SimProcess(scheduler, {
        role: 'notifier',
        name: `N${++this.#count}`,
        skewMs: random.between(-weather.skewMs, weather.skewMs),
      });
      const again = (): void => {
        if (receives < MAX_RECEIVES) this.#receive(body, HIDE_MS, receives + 1);
      };
      process.onDeath = again;
      const record = { messageId: process.name, body } as SQSRecord;
      void this.#handlerOf(process)({ Records: [record] }).then(({ batchItemFailures }) => {
        if (batchItemFailures.length > 0) again();
      });
    });
  }

  #handlerOf(process: SimProcess) {
    const { network, random, ledger, isFair, depsOf } = this.#options;
    const { jobs, notifications, clock, ids, telemetry } = depsOf(process);
    return notifierHandler({
      jobs,
      notifications,
      clock,
      ids,
      telemetry,
      sender: {
        send: async ({ id }) => {
          try {
            return await network.call(process, 'sendWebhook', [id], () => {
              ledger.webhooks.push(id);
              return Promise.resolve(answerOf(random, isFair()));
            });
          } catch (error) {
            return { kind: 'failed', error: String(error) };
          }
        },
      },
      undelivered: {
        send: ({ deliveryId }) =>
          network.call(process, 'sendUndelivered', [deliveryId], () => Promise.resolve()),
      },
      secretsOf: () => Promise.resolve(SECRETS),
      bodyOf: ({ event }) => Promise.resolve(event),
      policy: POLICY,
      flush: () => undefined,
    });
  }
}

function answerOf(random: Random, isFair: boolean): WebhookAnswer {
  if (isFair || random.chance(0.6)) return { kind: 'answered', status: 200 };
  if (random.chance(0.2)) return { kind: 'failed', error: 'ECONNREFUSED' };
  const retryAfterMs = random.magnitude(1_000, 3_600_000);
  return random.chance(0.2)
    ? { kind: 'answered', status: 503, retryAfterMs }
    : { kind: 'answered', status: 500 };
}
