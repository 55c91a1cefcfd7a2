import { checkHintDelay } from '../../core/job/hint-delay.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type {
  HintBatches,
  JobHint,
  JobQueue,
  QueuedHint,
  RefusedHint,
} from '../../core/ports/job-queue.ts';
import { answer } from './answer.ts';
import { frozenCopy } from './frozen-copy.ts';

export interface LyingHint {
  readonly hint: JobHint;
  readonly isolated: boolean;
  /** Epoch milliseconds from which on it may be received. */
  readonly readyAt: number;
}

/** Both queues of hints in memory: first in, first out among what is ready. */
export class MemoryJobQueue implements JobQueue, HintBatches {
  readonly #clock: Pick<Clock, 'now'>;
  #messages: LyingHint[] = [];

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  send(hint: JobHint, options: Parameters<JobQueue['send']>[1] = {}): Promise<void> {
    return answer(() => {
      const { isolated = false, delaySeconds = 0 } = options;
      checkHintDelay(delaySeconds);
      const readyAt = this.#clock.now() + delaySeconds * 1000;
      this.#messages.push({ hint: frozenCopy(hint), isolated, readyAt });
    });
  }

  async sendAll(hints: readonly QueuedHint[]): Promise<readonly RefusedHint[]> {
    await Promise.all(hints.map(({ hint, delaySeconds }) => this.send(hint, { delaySeconds })));
    return [];
  }

  backlog(): Promise<number> {
    return answer(() => this.#messages.filter((message) => this.#isReady(message, false)).length);
  }

  /** What lies in both queues, delayed messages included. */
  get messages(): readonly LyingHint[] {
    return this.#messages;
  }

  /** Takes up to `max` ready messages out of one of the queues. */
  receive(max: number, { isolated = false } = {}): JobHint[] {
    const taken = this.#messages
      .filter((message) => this.#isReady(message, isolated))
      .slice(0, max);
    const gone = new Set(taken);
    this.#messages = this.#messages.filter((message) => !gone.has(message));
    return taken.map(({ hint }) => hint);
  }

  #isReady(message: LyingHint, isolated: boolean): boolean {
    return message.isolated === isolated && message.readyAt <= this.#clock.now();
  }
}
