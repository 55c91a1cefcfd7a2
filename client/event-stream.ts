import { createParser, type EventSourceMessage } from 'eventsource-parser';

export interface EventStreamOptions {
  /** A connection on which not even a heartbeat came for so long is dead, whatever TCP believes. */
  readonly silenceMs: number;
  /** The server says after how long to connect again. */
  readonly onRetry: (ms: number) => void;
  /** Called for comments, which are heartbeats. */
  readonly onComment: () => void;
  readonly signal?: AbortSignal | undefined;
}

/** Messages of a body in the form of server-sent events, as they come. Leaving the loop closes the connection. */
export async function* readEventStream(
  body: ReadableStream<Uint8Array>,
  { silenceMs, onRetry, onComment, signal }: EventStreamOptions,
): AsyncGenerator<EventSourceMessage, void> {
  const messages: EventSourceMessage[] = [];
  const onEvent = (message: EventSourceMessage) => void messages.push(message);
  const parser = createParser({ onEvent, onRetry, onComment });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await within(silenceMs, reader.read(), signal);
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* messages.splice(0);
    }
  } finally {
    // Nobody waits for it: a dead connection might never answer.
    reader.cancel().catch(() => undefined);
  }
}

async function within<T>(
  ms: number,
  promise: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const end = new AbortController();
  const interrupted = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`nothing was heard for ${ms} ms, not even a heartbeat`));
    }, ms);
    end.signal.addEventListener('abort', () => {
      clearTimeout(timer);
    });
    const stop = () => {
      reject(signal?.reason as Error);
    };
    if (signal?.aborted === true) stop();
    signal?.addEventListener('abort', stop, { signal: end.signal });
  });
  try {
    return await Promise.race([promise, interrupted]);
  } finally {
    end.abort();
  }
}
