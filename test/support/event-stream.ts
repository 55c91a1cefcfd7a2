import { Writable } from 'node:stream';
import { createParser } from 'eventsource-parser';
import type { ResponseHead } from '../../lambdas/http/streamed-handler.ts';
import { type TraceEntry, traceEntrySchema } from '../../src/protocol/trace.ts';

export interface ReceivedEvent {
  readonly id: string;
  readonly entry: TraceEntry;
}

/** Reads server-sent events piece by piece, and checks the form of each. */
export class EventParser {
  readonly events: ReceivedEvent[] = [];
  readonly comments: string[] = [];
  retryMs: number | undefined;
  readonly #parser = createParser({
    onEvent: ({ id = '', event, data }) => {
      const entry = traceEntrySchema.parse(JSON.parse(data));
      if (event !== entry.type) throw new Error(`event ${String(event)} holds a ${entry.type}`);
      this.events.push({ id, entry });
    },
    onComment: (comment) => this.comments.push(comment),
    onRetry: (retryMs) => (this.retryMs = retryMs),
  });

  feed(text: string): void {
    this.#parser.feed(text);
  }

  get ids(): string[] {
    return this.events.map(({ id }) => id);
  }

  get entries(): TraceEntry[] {
    return this.events.map(({ entry }) => entry);
  }
}

/** The response stream of a Lambda invocation, and the client behind it. */
export class LambdaStream extends Writable {
  readonly parser = new EventParser();
  head: ResponseHead | undefined;
  text = '';
  /** Whether the client takes what is written. */
  isReading = true;
  /** Most bytes that waited in the stream at once. */
  mostWaitingBytes = 0;
  #continue: (() => void) | undefined;

  constructor() {
    super({ highWaterMark: 16 * 1024 });
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.mostWaitingBytes = Math.max(this.mostWaitingBytes, this.writableLength);
    const take = (): void => {
      this.text += chunk.toString();
      if (this.head?.headers['content-type'] === 'text/event-stream') {
        this.parser.feed(chunk.toString());
      }
      done();
    };
    if (this.isReading) take();
    else this.#continue = take;
  }

  /** Takes what waits, and whatever comes from now on. */
  read(): void {
    this.isReading = true;
    const take = this.#continue;
    this.#continue = undefined;
    take?.();
  }
}
