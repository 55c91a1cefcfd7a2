import { checkHintDelay } from '../../core/job/hint-delay.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type {
  DeliveryHint,
  NotificationQueue,
  UndeliveredNotification,
  UndeliveredQueue,
} from '../../core/ports/notification-queue.ts';
import { answer } from './answer.ts';
import { frozenCopy } from './frozen-copy.ts';

/** The queue of hints at deliveries in memory: first in, first out among what is ready. */
export class MemoryNotificationQueue implements NotificationQueue {
  readonly #clock: Pick<Clock, 'now'>;
  #messages: { readonly hint: DeliveryHint; readonly readyAt: number }[] = [];

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  send(hint: DeliveryHint, { delaySeconds = 0 } = {}): Promise<void> {
    return answer(() => {
      checkHintDelay(delaySeconds);
      const readyAt = this.#clock.now() + delaySeconds * 1_000;
      this.#messages.push({ hint: frozenCopy(hint), readyAt });
    });
  }

  /** What lies in the queue, delayed messages included. */
  get messages(): readonly { readonly hint: DeliveryHint; readonly readyAt: number }[] {
    return this.#messages;
  }

  /** Takes up to `max` ready messages out. */
  receive(max: number): DeliveryHint[] {
    const now = this.#clock.now();
    const taken = this.#messages.filter(({ readyAt }) => readyAt <= now).slice(0, max);
    const gone = new Set(taken);
    this.#messages = this.#messages.filter((message) => !gone.has(message));
    return taken.map(({ hint }) => hint);
  }
}

export class MemoryUndeliveredQueue implements UndeliveredQueue {
  readonly letters: UndeliveredNotification[] = [];

  send(letter: UndeliveredNotification): Promise<void> {
    return answer(() => {
      this.letters.push(frozenCopy(letter));
    });
  }
}
