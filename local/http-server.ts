import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Handle = (message: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>;

/** The one HTTP port of the cloud. It listens before there is anything to serve, since resources carry its address. */
export class HttpServer {
  readonly address: string;
  readonly #server: ReturnType<typeof createServer>;
  #handle: Handle = async (_message, response) => {
    await Promise.resolve(response.writeHead(503).end());
  };

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (message: IncomingMessage, response: ServerResponse) => {
      void this.#serve(message, response);
    });
  }

  /** Listens on loopback, on a free port when `port` is 0. */
  static async listen(port: number): Promise<HttpServer> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new HttpServer(server);
  }

  handle(handle: Handle): void {
    this.#handle = handle;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#handle(message, response, new URL(message.url ?? '/', this.address));
    } catch (error) {
      // The client went away, or this cloud is at fault; on AWS neither would stop the others.
      if (message.destroyed && !message.complete) return;
      process.stderr.write(`${Error.isError(error) ? (error.stack ?? '') : String(error)}\n`);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    }
  }
}
