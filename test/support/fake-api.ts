import { Transport, type TransportClock } from '../../client/transport.ts';
import type { RetryOptions } from '../../client/retry-policy.ts';

export interface SentRequest {
  readonly method: string;
  /** Below the stage, query included. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: unknown;
  readonly redirect: RequestInit['redirect'];
}

/** What is answered: a response, or an error where there is none. */
export type Reply = Response | Error | ((request: SentRequest) => Response | Promise<Response>);

const BASE = 'https://api.test/v1';

/** An API that gives the replies in their order and keeps what it was sent. */
export function fakeApi(replies: readonly Reply[]) {
  const sent: SentRequest[] = [];
  const left = [...replies];
  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    init.signal?.throwIfAborted();
    const url = input as string;
    const request = {
      method: init.method ?? 'GET',
      path: url.startsWith(BASE) ? url.slice(BASE.length) : url,
      headers: new Headers(init.headers),
      body: typeof init.body === 'string' ? (JSON.parse(init.body) as unknown) : init.body,
      redirect: init.redirect,
    };
    sent.push(request);
    const reply = left.shift();
    if (reply === undefined) throw new Error(`no reply is left for ${request.method} ${url}`);
    if (reply instanceof Error) throw reply;
    return typeof reply === 'function' ? reply(request) : reply;
  };
  return { sent, fetch, baseUrl: BASE, repliesLeft: () => left.length };
}

/** Time that passes at once, and is written down. */
export function fakeClock(random = 1): TransportClock & { readonly pauses: number[] } {
  const pauses: number[] = [];
  return {
    pauses,
    random: () => random,
    delay: (ms, signal) => {
      signal?.throwIfAborted();
      pauses.push(ms);
      return Promise.resolve();
    },
  };
}

export function fakeTransport(
  replies: readonly Reply[],
  retry: RetryOptions = {},
  apiKey = 'lh_test',
) {
  const api = fakeApi(replies);
  const clock = fakeClock();
  const transport = new Transport({ ...api, apiKey, retry }, clock);
  return { transport, sent: api.sent, pauses: clock.pauses, repliesLeft: api.repliesLeft };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}) {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

export function problem(status: number, code: string, headers: Record<string, string> = {}) {
  const type = `urn:longhaul:problem:${code}`;
  const body = { type, title: code, status, detail: `told ${code}`, code, requestId: 'request-1' };
  return json(status, body, { 'content-type': 'application/problem+json', ...headers });
}

/** A stream of events, one chunk each; it ends with a cut where an error is last. */
export function eventStream(chunks: readonly (string | Error)[]): Response {
  const left = [...chunks];
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const chunk = left.shift();
      if (chunk === undefined) controller.close();
      else if (chunk instanceof Error) controller.error(chunk);
      else controller.enqueue(new TextEncoder().encode(chunk));
    },
  });
  return streamOf(body);
}

/** The answer of a stream of events, with this body. */
export function streamOf(body: ReadableStream<Uint8Array>): Response {
  return new Response(body, { status: 200, headers: { 'content-type': 'text/event-stream' } });
}

export function sse(id: string, type: string, fields: object = {}): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
