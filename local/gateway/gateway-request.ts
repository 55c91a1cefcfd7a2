import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** A request as it reached the gateway, before it is known what serves it. */
export interface GatewayRequest {
  readonly requestId: string;
  readonly extendedRequestId: string;
  /** `Root=…;Parent=…;Sampled=0`: there is no X-Ray here that could take samples. */
  readonly traceId: string;
  readonly receivedAt: Date;
  readonly method: string;
  /** Without the stage, as the client wrote it. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly sourceIp: string;
  readonly body: string | null;
}

/** Headers of one connection, which API Gateway does not pass on. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'te',
  'transfer-encoding',
  'upgrade',
  'expect',
]);

export interface Received {
  readonly message: IncomingMessage;
  readonly path: string;
  readonly query: URLSearchParams;
}

export function gatewayRequest({ message, path, query }: Received): GatewayRequest {
  const traceRoot = `1-${Math.floor(Date.now() / 1000).toString(16)}-${randomBytes(12).toString('hex')}`;
  const sourceIp = message.socket.remoteAddress?.replace('::ffff:', '') ?? '127.0.0.1';
  const headers = headersOf(message);
  const added = {
    'X-Amzn-Trace-Id': `Root=${traceRoot}`,
    'X-Forwarded-For': sourceIp,
    'X-Forwarded-Port': String(message.socket.localPort),
    'X-Forwarded-Proto': 'http',
  };
  for (const [name, value] of Object.entries(added)) headers.set(name, [value]);
  return {
    requestId: randomUUID(),
    extendedRequestId: randomBytes(11).toString('base64url'),
    traceId: `Root=${traceRoot};Parent=${randomBytes(8).toString('hex')};Sampled=0`,
    receivedAt: new Date(),
    method: message.method ?? 'GET',
    path,
    query,
    headers,
    sourceIp,
    body: null,
  };
}

/** Value of a header by name, whatever its case; the last one when it was sent more than once. */
export function headerOf({ headers }: GatewayRequest, name: string): string | undefined {
  for (const [own, values] of headers) {
    if (own.toLowerCase() === name.toLowerCase()) return values.at(-1);
  }
  return undefined;
}

function headersOf({ rawHeaders }: IncomingMessage): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (HOP_BY_HOP.has(name.toLowerCase())) continue;
    headers.set(name, [...(headers.get(name) ?? []), rawHeaders[at + 1] ?? '']);
  }
  return headers;
}
