import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as whoever gets it sees it, in the words of no library. */
export interface SeenSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** All that was sent of it. */
  readonly text: string;
}

/** What takes traces on this machine. */
export interface TraceReceiver {
  readonly address: string;
  readonly spans: readonly SeenSpan[];
  /** The spans once there are so many. */
  atLeast(count: number): Promise<readonly SeenSpan[]>;
  /** The spans of a trace, once they are as wanted. */
  traceWhen(
    traceId: string,
    isWanted: (spans: readonly SeenSpan[]) => boolean,
  ): Promise<readonly SeenSpan[]>;
  stop(): Promise<void>;
}

const WITHIN_MS = 10_000;

class Gathered {
  readonly spans: SeenSpan[] = [];
  #tell: (() => void)[] = [];

  add(...spans: readonly SeenSpan[]): void {
    this.spans.push(...spans);
    for (const tell of this.#tell.splice(0)) tell();
  }

  async atLeast(count: number): Promise<readonly SeenSpan[]> {
    await this.#until(() => this.spans.length >= count);
    return this.spans;
  }

  async traceWhen(
    traceId: string,
    isWanted: (spans: readonly SeenSpan[]) => boolean,
  ): Promise<readonly SeenSpan[]> {
    const trace = () => this.spans.filter((span) => span.traceId === traceId);
    await this.#until(() => isWanted(trace()));
    return trace();
  }

  async #until(isSo: () => boolean): Promise<void> {
    const signal = AbortSignal.timeout(WITHIN_MS);
    while (!isSo()) {
      await new Promise<void>((resolve, reject) => {
        this.#tell.push(resolve);
        signal.addEventListener('abort', () => {
          const names = this.spans.map(({ name }) => name).join(', ');
          reject(new Error(`within ${WITHIN_MS} ms came only ${names}`));
        });
      });
    }
  }
}

/** The X-Ray daemon: datagrams of a header line and a document. */
export async function startXrayDaemon(): Promise<TraceReceiver> {
  const gathered = new Gathered();
  const socket = createSocket('udp4', (message) => {
    const [, text = ''] = message.toString('utf8').split('\n');
    gathered.add(spanOfDocument(text));
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    spans: gathered.spans,
    atLeast: (count) => gathered.atLeast(count),
    traceWhen: (traceId, isWanted) => gathered.traceWhen(traceId, isWanted),
    stop: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function spanOfDocument(text: string): SeenSpan {
  const document = JSON.parse(text) as {
    name: string;
    id: string;
    trace_id: string;
    parent_id?: string;
    fault?: boolean;
    annotations?: Record<string, unknown>;
  };
  const { name, id, trace_id, parent_id, fault = false, annotations = {} } = document;
  const traceId = trace_id.replace(/^1-/, '').replace('-', '');
  return {
    name,
    traceId,
    spanId: id,
    parentId: parent_id,
    failed: fault,
    attributes: annotations,
    text,
  };
}

export interface OtlpCollector extends TraceReceiver {
  /** Of each request. */
  readonly headers: readonly IncomingHttpHeaders[];
}

/** A collector that takes OTLP over HTTP as JSON. */
export async function startOtlpCollector({ answers = true } = {}): Promise<OtlpCollector> {
  const gathered = new Gathered();
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    headers.push(request.headers);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/v1/traces')
        gathered.add(...spansOfBody(Buffer.concat(chunks).toString()));
      if (answers) response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    headers,
    spans: gathered.spans,
    atLeast: (count) => gathered.atLeast(count),
    traceWhen: (traceId, isWanted) => gathered.traceWhen(traceId, isWanted),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface OtlpSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

function spansOfBody(body: string): SeenSpan[] {
  const { resourceSpans } = JSON.parse(body) as OtlpBody;
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .map((span) => ({
      name: span.name,
      traceId: span.traceId,
      spanId: span.spanId,
      parentId: span.parentSpanId,
      failed: span.status.code === 2,
      attributes: Object.fromEntries(
        span.attributes.map(({ key, value }) => [key, Object.values(value)[0] as unknown]),
      ),
      text: JSON.stringify(span),
    }));
}
