import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A webhook as it arrived. */
export interface ReceivedWebhook {
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes that were signed, as text. */
  readonly body: string;
}

type Answer = (response: ServerResponse, index: number) => void;

/** A program on this machine that takes webhooks. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  /** How the next webhooks are answered; by default with 204. */
  answer: Answer = (response) => {
    response.writeHead(204).end();
  };
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#take(request, response));
  }

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** The webhooks once there are so many. */
  async atLeast(count: number, { withinMs = 60_000 } = {}): Promise<readonly ReceivedWebhook[]> {
    const deadline = Date.now() + withinMs;
    while (this.received.length < count) {
      if (Date.now() > deadline) {
        throw new Error(`${this.received.length} of ${count} webhooks within ${withinMs} ms`);
      }
      await delay(50);
    }
    return this.received;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    this.received.push({ headers, body: Buffer.concat(chunks).toString('utf8') });
    this.answer(response, this.received.length - 1);
  }
}
