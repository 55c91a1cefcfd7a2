import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type {
  WebhookAnswer,
  WebhookRequest,
  WebhookSender,
} from '../../core/ports/webhook-sender.ts';
import type { AddressRules } from './allowed-address.ts';
import { checkUrl, hostOf } from './check-url.ts';
import { type HostAddress, type Resolve, resolveHost, systemResolve } from './resolve-host.ts';
import { retryAfterMs } from './retry-after.ts';
import { signatureHeaders } from './sign.ts';

export interface WebhookSenderOptions extends AddressRules {
  /** How long a receiver may take, from the question for its address to its last byte. Default 15 s. */
  readonly timeoutMs?: number;
  /** Default: that of the machine. */
  readonly resolve?: Resolve;
}

const TIMEOUT_MS = 15_000;
/** More of an answer is not read; none of it is kept. */
const ANSWER_BYTES = 4 * 1024;

/**
 * Sends webhooks to public addresses: the name is resolved once, each address is checked, and the connection goes to one of
 * those, whatever the name resolves to by then. Redirects are answers like any other: they are not followed.
 */
export function webhookSender(options: WebhookSenderOptions): WebhookSender {
  const { allowLoopback, timeoutMs = TIMEOUT_MS, resolve = systemResolve } = options;
  return {
    send: async (request) => {
      const check = checkUrl(request.url, { allowLoopback });
      if (!check.allowed) return failed(`the URL ${check.reason}`);
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const addresses = await within(signal, resolveHost(hostOf(check.url), resolve, options));
        return await post(check.url, request, { addresses, signal });
      } catch (error) {
        return failed(signal.aborted ? `no answer within ${timeoutMs} ms` : reasonOf(error));
      }
    },
  };
}

interface Connection {
  readonly addresses: readonly HostAddress[];
  readonly signal: AbortSignal;
}

function post(
  url: URL,
  webhook: WebhookRequest,
  { addresses, signal }: Connection,
): Promise<WebhookAnswer> {
  const { id, at, body, secrets, traceparent } = webhook;
  const timestamp = Math.floor(at / 1_000);
  const isSecure = url.protocol === 'https:';
  const host = hostOf(url);
  const options: RequestOptions = {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'longhaul-webhooks/1',
      ...(traceparent !== undefined && { traceparent }),
      ...signatureHeaders({ id, timestamp, body }, secrets),
    },
    // An agent of its own: no connection of another receiver, and no proxy of the environment.
    agent: isSecure ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false }),
    lookup: pinnedTo(addresses),
    signal,
    // The certificate is that of the name; of an address it is none.
    ...(isSecure && isIP(host) === 0 ? { servername: host } : {}),
  };
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const outgoing = (isSecure ? httpsRequest : httpRequest)(url, options, (incoming) => {
      isAnswered = true;
      discard(incoming, () => {
        resolve(answerOf(incoming));
      });
    });
    // 101, which nobody asked for: without a listener Node drops the connection and tells nobody.
    outgoing.on('upgrade', (incoming, socket) => {
      socket.destroy();
      resolve(answerOf(incoming));
    });
    outgoing.on('error', (error) => {
      if (!isAnswered) reject(error);
    });
    // One that is over hears no signal any more: whatever it ended with, it must not be waited for.
    outgoing.on('close', () => {
      if (!isAnswered) reject(new Error('the connection was closed without an answer'));
    });
    outgoing.end(body);
  });
}

function answerOf({ statusCode: status = 0, headers }: IncomingMessage): WebhookAnswer {
  const retry = retryAfterMs(headers['retry-after'], Date.now());
  return {
    kind: 'answered',
    status,
    ...(retry === undefined ? {} : { retryAfterMs: retry }),
  };
}

/** Answers what was checked before, instead of asking again: a name may resolve to something else by now. */
function pinnedTo(addresses: readonly HostAddress[]): LookupFunction {
  return (_name, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, [...addresses]);
    else if (first !== undefined) callback(null, first.address, first.family);
  };
}

/** The status is the answer. Of the body so much is read as lets an honest receiver finish; then the connection is closed. */
function discard(incoming: IncomingMessage, done: () => void): void {
  let bytes = 0;
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES) incoming.destroy();
  });
  // Also when the receiver breaks off or stalls in its body: it has answered.
  incoming.on('error', () => undefined);
  incoming.on('close', done);
}

/** DNS takes no signal. */
function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
    work.then(resolve, reject);
  });
}

function failed(error: string): WebhookAnswer {
  return { kind: 'failed', error };
}

/** Codes of the system and of TLS are telling; messages may hold addresses of the inside. */
function reasonOf(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (typeof code === 'string') return code;
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return typeof message === 'string' ? message : 'the request failed';
}
