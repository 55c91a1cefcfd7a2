import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SQSEvent } from 'aws-lambda';

/** What `fixtures/worker.mjs` says about an invocation. */
export interface Report {
  readonly requestId: string;
  /** The same for every invocation of one execution environment. */
  readonly environment: string;
  readonly event: SQSEvent;
}

/** What the worker does next. */
export interface Order {
  /** Bodies of the messages to report as failed. */
  readonly fail?: readonly string[];
  /** Message of an error to throw. */
  readonly error?: string;
  /** What the function answers instead of the failures above. */
  readonly answer?: unknown;
  /** Ends the process from within. */
  readonly crash?: boolean;
}

type Decide = (report: Report) => Order | Promise<Order>;

/** Where the fixture worker reports to, and gets its orders from. */
export class Reports {
  readonly received: Report[] = [];
  decide: Decide = () => ({});
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async listen(): Promise<Reports> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const reports = new Reports(server);
    server.on('request', (request, response) => {
      void (async () => {
        const report = JSON.parse((await request.toArray()).join('')) as Report;
        reports.received.push(report);
        response.end(JSON.stringify(await reports.decide(report)));
      })();
    });
    return reports;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Bodies of all messages, in the order they were handed out. */
  get bodies(): string[] {
    return this.received.flatMap(({ event }) => event.Records.map(({ body }) => body));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
