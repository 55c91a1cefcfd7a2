import { EventSource } from 'eventsource';
import { type TraceEntry, traceEntrySchema } from '../../src/protocol/trace.ts';
import type { ReceivedEvent } from './event-stream.ts';

const TYPES: readonly TraceEntry['type'][] = traceEntrySchema.options.map(
  ({ shape }) => shape.type.value,
);

/** Reads a stream with the stock `eventsource` package, until the API says that nothing more comes. */
export async function readWithEventSource(
  url: string,
  { key, withinMs = 60_000 }: { readonly key: string; readonly withinMs?: number },
): Promise<ReceivedEvent[]> {
  const events: ReceivedEvent[] = [];
  const source = new EventSource(url, {
    fetch: (address, init) =>
      fetch(address, {
        ...init,
        headers: { ...init.headers, authorization: `Bearer ${key}` },
      }),
  });
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => {
    reject(new Error(`the stream was not over within ${withinMs} ms: ${JSON.stringify(events)}`));
  }, withinMs);
  for (const type of TYPES) {
    source.addEventListener(type, (event) => {
      const { data, lastEventId } = event as unknown as { data: string; lastEventId: string };
      events.push({ id: lastEventId, entry: traceEntrySchema.parse(JSON.parse(data)) });
    });
  }
  source.addEventListener('error', ({ code }) => {
    // The package opens a stream again after any end but an answer that is no stream.
    if (source.readyState !== EventSource.CLOSED) return;
    if (code === 204) resolve(undefined);
    else reject(new Error(`the stream was closed by the status ${String(code)}`));
  });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    source.close();
  }
  return events;
}
