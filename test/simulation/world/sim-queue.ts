import type { JobHint } from '../../../src/core/ports/job-queue.ts';
import type { Weather } from './faults.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';

export interface Message {
  readonly id: string;
  readonly body: string;
  readonly isolated: boolean;
  readyAt: number;
  receives: number;
  receipt: number;
}

const MAX_RECEIVES = 5;

/** Both queues, as SQS is allowed to be: at least once, in any order, late, and with a dead-letter queue. */
export class SimQueue {
  readonly deadLetters: Message[] = [];
  /** Called when a message becomes ready. */
  onReady: (isolated: boolean) => void = () => undefined;
  readonly #messages = new Set<Message>();
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #weather: Weather;
  readonly #isFair: () => boolean;
  #sent = 0;

  constructor(at: {
    scheduler: Scheduler;
    random: Random;
    weather: Weather;
    isFair: () => boolean;
  }) {
    this.#scheduler = at.scheduler;
    this.#random = at.random;
    this.#weather = at.weather;
    this.#isFair = at.isFair;
  }

  send(hint: JobHint, { isolated = false, delaySeconds = 0 } = {}): void {
    const { duplicateMessage, loseMessage } = this.#weather;
    const fair = this.#isFair();
    // SQS loses none; but a hint that its sender takes for sent may never have been.
    if (!fair && this.#random.chance(loseMessage)) return;
    const copies = !fair && this.#random.chance(duplicateMessage) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      this.put(JSON.stringify(hint), { isolated, delayMs: delaySeconds * 1_000 });
    }
  }

  put(body: string, { isolated = false, delayMs = 0 } = {}): void {
    const isLate = !this.#isFair() && this.#random.chance(this.#weather.delayMessage);
    const lateMs = isLate ? this.#random.magnitude(100, 600_000) : this.#random.between(0, 50);
    const message: Message = {
      id: `message-${++this.#sent}`,
      body,
      isolated,
      readyAt: this.#scheduler.now + delayMs + lateMs,
      receives: 0,
      receipt: 0,
    };
    this.#messages.add(message);
    this.#announce(message);
  }

  get isEmpty(): boolean {
    return this.#messages.size === 0;
  }

  ready(isolated: boolean): Message[] {
    const { now } = this.#scheduler;
    return [...this.#messages].filter((m) => m.isolated === isolated && m.readyAt <= now);
  }

  /** Takes up to `max` ready messages, in no order, and hides them for a while. */
  receive(isolated: boolean, max: number, hideMs: number): Message[] {
    const ready = this.ready(isolated);
    const taken: Message[] = [];
    while (ready.length > 0 && taken.length < max) {
      const [message] = ready.splice(this.#random.between(0, ready.length - 1), 1);
      if (message === undefined) break;
      if (message.receives >= MAX_RECEIVES) {
        this.#messages.delete(message);
        this.deadLetters.push(message);
        continue;
      }
      message.receives++;
      message.receipt++;
      this.show(message, hideMs);
      taken.push(message);
    }
    return taken;
  }

  delete(message: Message, receipt: number): void {
    const isLost = !this.#isFair() && this.#random.chance(this.#weather.loseDelete);
    if (!isLost && message.receipt === receipt) this.#messages.delete(message);
  }

  /** Lets a message be received again after a while. */
  show(message: Message, afterMs: number): void {
    message.readyAt = this.#scheduler.now + afterMs;
    this.#announce(message);
  }

  #announce(message: Message): void {
    const { readyAt, isolated } = message;
    this.#scheduler.at(readyAt + this.#random.between(0, 300), () => {
      this.onReady(isolated);
    });
  }
}
