import { checkHintDelay } from '../../core/job/hint-delay.ts';
import type { Clock } from '../../core/ports/clock.ts';
import {
  DEFAULT_LANE,
  type HintBatches,
  type JobHint,
  type JobQueue,
  type QueuedHint,
  type RefusedHint,
} from '../../core/ports/job-queue.ts';
import { answer } from './answer.ts';
import { frozenCopy } from './frozen-copy.ts';

export interface LyingHint {
  readonly hint: JobHint;
  readonly lane: string;
  readonly isolated: boolean;
  /** Epoch milliseconds from which on it may be received. */
  readonly readyAt: number;
}

/** Which lane the jobs of an agent take, by its name. */
export type LanesByAgent = Readonly<Record<string, string>>;

/** The queues of hints in memory: first in, first out among what is ready. */
export class MemoryJobQueue implements JobQueue, HintBatches {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #lanes: LanesByAgent;
  #messages: LyingHint[] = [];

  constructor(clock: Pick<Clock, 'now'>, lanes: LanesByAgent = {}) {
    this.#clock = clock;
    this.#lanes = lanes;
  }

  laneOf(agent: string): string {
    return this.#lanes[agent] ?? DEFAULT_LANE;
  }

  send(hint: JobHint, options: Parameters<JobQueue['send']>[1] = {}): Promise<void> {
    return answer(() => {
      const { isolated = false, delaySeconds = 0 } = options;
      checkHintDelay(delaySeconds);
      const readyAt = this.#clock.now() + delaySeconds * 1000;
      const lane = this.laneOf(hint.agent ?? '');
      this.#messages.push({ hint: frozenCopy(hint), lane, isolated, readyAt });
    });
  }

  async sendAll(hints: readonly QueuedHint[]): Promise<readonly RefusedHint[]> {
    await Promise.all(hints.map(({ hint, delaySeconds }) => this.send(hint, { delaySeconds })));
    return [];
  }

  backlog(lane: string): Promise<number> {
    return answer(
      () => this.#messages.filter((message) => this.#isReady(message, lane, false)).length,
    );
  }

  /** What lies in all queues, delayed messages included. */
  get messages(): readonly LyingHint[] {
    return this.#messages;
  }

  /** Takes up to `max` ready messages out of one of the queues. */
  receive(max: number, { isolated = false, lane = DEFAULT_LANE } = {}): JobHint[] {
    const taken = this.#messages
      .filter((message) => this.#isReady(message, lane, isolated))
      .slice(0, max);
    const gone = new Set(taken);
    this.#messages = this.#messages.filter((message) => !gone.has(message));
    return taken.map(({ hint }) => hint);
  }

  #isReady(message: LyingHint, lane: string, isolated: boolean): boolean {
    return (
      message.lane === lane && message.isolated === isolated && message.readyAt <= this.#clock.now()
    );
  }
}
