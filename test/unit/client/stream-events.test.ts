import { describe, expect, it } from '@jest/globals';
import type { JobEvent } from '../../../client/answers.ts';
import { type EventSource, streamEvents } from '../../../client/stream-events.ts';
import { Transport } from '../../../client/transport.ts';
import {
  eventStream,
  fakeApi,
  fakeClock,
  fakeTransport,
  problem,
  type Reply,
  sse,
} from '../../support/fake-api.ts';

const cut = () => new TypeError('terminated', { cause: new Error('other side closed') });
const ids = (events: readonly JobEvent[]) => events.map(({ eventId }) => eventId);

async function follow(replies: readonly Reply[], options: Partial<EventSource> = {}) {
  const { transport, sent, pauses } = fakeTransport(replies, { tries: 3, baseDelayMs: 100 });
  const events: JobEvent[] = [];
  let error: unknown;
  try {
    for await (const event of streamEvents({ transport, jobId: 'job_1', ...options })) {
      events.push(event);
    }
  } catch (reason) {
    error = reason;
  }
  const after = sent.map(({ headers }) => headers.get('last-event-id'));
  return { events, error, after, sent, pauses };
}

describe('the events of a job', () => {
  it('come as entries of the trace with their position, to the final one', async () => {
    const { events, sent } = await follow([
      eventStream([
        'retry: 1000\n\n: heartbeat\n\n',
        sse('1.1.0', 'attempt.started', { attempt: 1 }),
        sse('1.2.0', 'job.succeeded', { size: 2 }),
      ]),
    ]);

    expect(events).toEqual([
      { type: 'attempt.started', attempt: 1, eventId: '1.1.0' },
      { type: 'job.succeeded', size: 2, eventId: '1.2.0' },
    ]);
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /jobs/job_1/events']);
    expect(sent[0]?.headers.get('accept')).toBe('text/event-stream');
  });

  it('go on behind the last one when the connection is cut, with none missing and none twice', async () => {
    const [first, second] = [sse('1.1.0', 'attempt.started'), sse('1.2.0', 'log.written')];
    const { events, after } = await follow([
      eventStream([first, second.slice(0, 20), cut()]),
      cut(),
      eventStream([second, cut()]),
      // A server may say the last one again.
      eventStream([second, sse('1.3.0', 'job.failed')]),
    ]);

    expect(ids(events)).toEqual(['1.1.0', '1.2.0', '1.3.0']);
    expect(after).toEqual([null, '1.1.0', '1.1.0', '1.2.0']);
  });

  it('go on when the server ends the stream after its time, when it says to', async () => {
    const { events, after, pauses } = await follow([
      eventStream(['retry: 2500\n\n', sse('1.1.0', 'attempt.started')]),
      eventStream([]),
      eventStream([sse('1.2.0', 'job.cancelled')]),
    ]);

    expect(ids(events)).toEqual(['1.1.0', '1.2.0']);
    expect(after).toEqual([null, '1.1.0', '1.1.0']);
    expect(pauses).toEqual([2_500, 2_500]);
  });

  it('go on behind the end of an earlier generation', async () => {
    const { events } = await follow([
      eventStream([
        sse('1.1.0', 'job.failed') + sse('2.1.0', 'job.restarted'),
        sse('2.2.0', 'job.succeeded'),
      ]),
    ]);

    expect(ids(events)).toEqual(['1.1.0', '2.1.0', '2.2.0']);
  });

  it('ask once more when the connection is cut behind a final one, which may be that of an earlier generation', async () => {
    const { events, after } = await follow([
      eventStream([sse('1.1.0', 'job.failed'), cut()]),
      new Response(null, { status: 204 }),
    ]);

    expect(ids(events)).toEqual(['1.1.0']);
    expect(after).toEqual([null, '1.1.0']);
  });

  it('begin where the caller says', async () => {
    const { events, after } = await follow([eventStream([sse('1.9.0', 'job.succeeded')])], {
      after: '1.8.2',
    });

    expect(ids(events)).toEqual(['1.9.0']);
    expect(after).toEqual(['1.8.2']);
  });

  it('end with the network error once as many connections failed in a row as there are tries', async () => {
    const { events, error, pauses } = await follow([
      eventStream([sse('1.1.0', 'attempt.started'), cut()]),
      cut(),
      cut(),
      cut(),
    ]);

    expect(ids(events)).toEqual(['1.1.0']);
    expect(error).toMatchObject({ code: 'network_error' });
    expect(pauses).toEqual([100, 200]);
  });

  it('are counted as progress: a connection that brought some starts the tries anew', async () => {
    const replies = [1, 2, 3, 4, 5, 6].map((n) =>
      eventStream([sse(`1.${n}.0`, 'log.written'), cut()]),
    );
    const { events } = await follow([...replies, eventStream([sse('1.7.0', 'job.succeeded')])]);

    expect(events).toHaveLength(7);
  });

  it('are waited for as long as heartbeats come: a connection that brought one starts the tries anew', async () => {
    const quiet = [1, 2, 3, 4].map(() => eventStream([': heartbeat\n\n', cut()]));
    const { events } = await follow([...quiet, eventStream([sse('1.1.0', 'job.succeeded')])]);

    expect(ids(events)).toEqual(['1.1.0']);
  });

  it('end with what the credential threw', async () => {
    const broken = new Error('no session');
    const apiKey = () => Promise.reject(broken);
    const transport = new Transport({ ...fakeApi([]), apiKey }, fakeClock());
    const first = streamEvents({ transport, jobId: 'job_1' }).next();

    await expect(first).rejects.toBe(broken);
  });

  it('end with what the API answers instead', async () => {
    const { error, sent } = await follow([problem(404, 'not_found')]);

    expect(error).toMatchObject({ code: 'not_found', status: 404 });
    expect(sent).toHaveLength(1);
  });

  it('hold no connection once the caller leaves', async () => {
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(sse('1.1.0', 'log.written')));
      },
      cancel: () => void (cancelled = true),
    });
    const { transport } = fakeTransport([new Response(body)]);

    for await (const _ of streamEvents({ transport, jobId: 'job_1' })) break;

    expect(cancelled).toBe(true);
  });

  it('end with the reason of the caller, who waits no longer', async () => {
    const reason = new Error('enough');
    const controller = new AbortController();
    const { error, events } = await follow(
      [
        () => {
          setTimeout(() => {
            controller.abort(reason);
          });
          const body = new ReadableStream<Uint8Array>({
            start: (stream) => {
              controller.signal.addEventListener('abort', () => {
                stream.error(reason);
              });
            },
          });
          return new Response(body);
        },
      ],
      { signal: controller.signal },
    );

    expect({ error, events }).toEqual({ error: reason, events: [] });
  });
});
