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
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  // #region follow
  const source = new EventSource(url, {
    fetch: (address, init) =>
      fetch(address, { ...init, headers: { ...init.headers, authorization: `Bearer ${key}` } }),
  });
  for (const type of TYPES) source.addEventListener(type, receive);
  source.addEventListener('error', ({ code }) => {
    // It opens the stream again by itself, unless the answer is none.
    if (source.readyState !== EventSource.CLOSED) return;
    if (code === 204) resolve(undefined);
    else reject(new Error(`the stream was refused with ${String(code)}`));
  });
  // #endregion
  const timer = setTimeout(() => {
    reject(new Error(`not over within ${withinMs} ms: ${JSON.stringify(events)}`));
  }, withinMs);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    source.close();
  }
  return events;

  function receive(event: object): void {
    const { data, lastEventId } = event as { data: string; lastEventId: string };
    events.push({ id: lastEventId, entry: traceEntrySchema.parse(JSON.parse(data)) });
  }
}
