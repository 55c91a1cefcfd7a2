import type { Writable } from 'node:stream';
import type { Clock } from '../../src/core/ports/clock.ts';

/** What a Lambda function has of the stream of its answer. */
export type ResponseStream = Pick<
  Writable,
  'write' | 'end' | 'destroy' | 'destroyed' | 'once' | 'off'
>;

/** A reader who takes nothing for so long is given up, with what waits for it. */
const STALL_LIMIT_MS = 30_000;

/** The way to one reader: waits while it reads slowly, and knows when it is gone. */
export class StreamOutput {
  readonly #stream: ResponseStream;
  readonly #clock: Pick<Clock, 'now' | 'setTimer'>;
  readonly #gone = Promise.withResolvers<'gone'>();
  #isGone = false;
  #writtenAt: number;

  constructor(stream: ResponseStream, clock: Pick<Clock, 'now' | 'setTimer'>) {
    this.#stream = stream;
    this.#clock = clock;
    this.#writtenAt = clock.now();
    stream.once('close', () => {
      this.#leave();
    });
    stream.once('error', () => {
      this.#leave();
    });
  }

  /** The reader went away, or was given up. */
  get isGone(): boolean {
    return this.#isGone || this.#stream.destroyed;
  }

  /** When something was last written. */
  get writtenAt(): number {
    return this.#writtenAt;
  }

  /** Resolves when there is room for more. */
  async write(text: string): Promise<void> {
    if (this.isGone) return;
    this.#writtenAt = this.#clock.now();
    if (this.#stream.write(text)) return;
    const drained = Promise.withResolvers<'drained'>();
    const onDrain = (): void => {
      drained.resolve('drained');
    };
    this.#stream.once('drain', onDrain);
    const outcome = await this.#orAfter(STALL_LIMIT_MS, drained.promise);
    this.#stream.off('drain', onDrain);
    if (outcome === 'late') this.#giveUp();
  }

  /** Resolves after `delayMs`, or as soon as the reader is gone. */
  async pause(delayMs: number): Promise<void> {
    await this.#orAfter(delayMs);
  }

  end(): void {
    if (!this.isGone) this.#stream.end();
  }

  async #orAfter(delayMs: number, ...others: Promise<unknown>[]): Promise<unknown> {
    const late = Promise.withResolvers<'late'>();
    const cancel = this.#clock.setTimer(delayMs, () => {
      late.resolve('late');
    });
    try {
      return await Promise.race([late.promise, this.#gone.promise, ...others]);
    } finally {
      cancel();
    }
  }

  #giveUp(): void {
    this.#leave();
    this.#stream.destroy();
  }

  #leave(): void {
    this.#isGone = true;
    this.#gone.resolve('gone');
  }
}
