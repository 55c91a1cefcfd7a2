import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request } from 'node:https';

export interface ApiProxy {
  /** Base URL of the API, stage included. */
  readonly url: string;
  close(): void;
}

/** The certificate is for other names; this end of the way is inside one machine. */
const AGENT = new Agent({ keepAlive: true, rejectUnauthorized: false });

/**
 * An address for a deployed API that every resolver knows: the emulator tells APIs apart by the host
 * `<id>.execute-api.localhost`, which not every machine resolves.
 */
export async function proxyApi(apiUrl: string, emulatorPort: number): Promise<ApiProxy> {
  const { hostname, pathname } = new URL(apiUrl);
  const host = `${hostname.split('.')[0] ?? ''}.execute-api.localhost:${emulatorPort}`;
  const server = createServer((incoming, outgoing) => {
    forward(incoming, outgoing, { host, port: emulatorPort });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    url: `http://127.0.0.1:${address.port}${pathname}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { host, port }: { host: string; port: number },
): void {
  const headers = incoming.rawHeaders.flatMap((text, index, all) => {
    if (index % 2 === 1) return [];
    return text.toLowerCase() === 'host' ? ['Host', host] : [text, all[index + 1] ?? ''];
  });
  const upstream = request(
    { agent: AGENT, host: '127.0.0.1', port, method: incoming.method, path: incoming.url, headers },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(outgoing);
    },
  );
  upstream.on('error', (error) => {
    outgoing.writeHead(502).end(error.message);
  });
  incoming.pipe(upstream);
}
