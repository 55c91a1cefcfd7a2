import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { newWebhookSecret } from '../../src/adapters/webhook/new-secret.ts';
import type { Resolve } from '../../src/adapters/webhook/resolve-host.ts';
import { webhookSender } from '../../src/adapters/webhook/webhook-sender.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

const SECRET = newWebhookSecret();
const LOOPBACK = { address: '127.0.0.1', family: 4 };
const METADATA = { address: '169.254.169.254', family: 4 };

const webhook = (url: string) => ({
  url,
  id: 'msg_1',
  at: Date.now(),
  body: '{"n":1}',
  secrets: [SECRET],
});

describe('the sender of webhooks', () => {
  let receiver: WebhookReceiver;
  const local = webhookSender({ allowLoopback: true });

  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
  });

  afterEach(async () => {
    await receiver.stop();
  });

  it('posts signed JSON and answers with the status', async () => {
    const answer = await local.send(webhook(receiver.url));

    expect(answer).toEqual({ kind: 'answered', status: 204 });
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
    expect(new Webhook(SECRET).verify(body, headers)).toEqual({ n: 1 });
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': '7',
      host: new URL(receiver.url).host,
    });
  });

  it('tells what the receiver asks for with Retry-After', async () => {
    receiver.answer = (response) => {
      response.writeHead(503, { 'retry-after': '30' }).end('busy');
    };
    expect(await local.send(webhook(receiver.url))).toEqual({
      kind: 'answered',
      status: 503,
      retryAfterMs: 30_000,
    });
  });

  it.each([301, 302, 303, 307, 308])('takes a redirect (%i) for an answer', async (status) => {
    const elsewhere = await WebhookReceiver.start();
    receiver.answer = (response) => {
      response.writeHead(status, { location: elsewhere.url }).end();
    };
    const answer = await local.send(webhook(receiver.url));
    await elsewhere.stop();

    expect(answer).toEqual({ kind: 'answered', status });
    expect(elsewhere.received).toEqual([]);
  });

  it('reads little of a large answer', async () => {
    let written = 0;
    receiver.answer = (response) => {
      response.writeHead(200);
      const write = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024))) written += 64 * 1024;
      };
      response.on('drain', write);
      response.on('error', () => undefined);
      write();
    };
    expect(await local.send(webhook(receiver.url))).toEqual({ kind: 'answered', status: 200 });
    expect(written).toBeLessThan(16 * 1024 * 1024);
  });

  it('gives up on a receiver that does not answer, and on a name that does not resolve in time', async () => {
    receiver.answer = () => undefined;
    const impatient = { allowLoopback: true, timeoutMs: 100 };
    const never: Resolve = () => new Promise(() => undefined);

    const slow = await webhookSender(impatient).send(webhook(receiver.url));
    const lost = await webhookSender({ ...impatient, resolve: never }).send(
      webhook('https://example.com/'),
    );

    expect(slow).toEqual({ kind: 'failed', error: 'no answer within 100 ms' });
    expect(lost).toEqual({ kind: 'failed', error: 'no answer within 100 ms' });
  });

  it('counts an answer whose body never ends', async () => {
    receiver.answer = (response) => {
      response.writeHead(200);
      response.write('a beginning');
    };
    const impatient = webhookSender({ allowLoopback: true, timeoutMs: 200 });
    expect(await impatient.send(webhook(receiver.url))).toEqual({ kind: 'answered', status: 200 });
  });

  it('takes a switch of protocols that it did not ask for (101) for an answer', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
        );
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;

    server.unref();
    const answer = await local.send(webhook(`http://127.0.0.1:${port}/`));
    server.close();

    expect(answer).toEqual({ kind: 'answered', status: 101 });
  });

  it('tells that nobody listens', async () => {
    const gone = await WebhookReceiver.start();
    const { url } = gone;
    await gone.stop();
    expect(await local.send(webhook(url))).toEqual({ kind: 'failed', error: 'ECONNREFUSED' });
  });

  describe('towards addresses that are not public', () => {
    it.each([
      ['loopback', [LOOPBACK]],
      ['metadata', [METADATA]],
      ['a public and a private one', [{ address: '93.184.216.34', family: 4 }, METADATA]],
      ['mapped IPv4', [{ address: '::ffff:169.254.169.254', family: 6 }]],
      ['NAT64', [{ address: '64:ff9b::a9fe:a9fe', family: 6 }]],
      ['none at all', []],
    ])('sends nothing where a name has %s', async (_what, addresses) => {
      const port = new URL(receiver.url).port;
      const sender = webhookSender({
        allowLoopback: false,
        resolve: () => Promise.resolve(addresses),
      });

      const answer = await sender.send(webhook(`https://rebound.example:${port}/`));

      expect(answer).toMatchObject({ kind: 'failed', error: expect.stringContaining('the name') });
      expect(receiver.received).toEqual([]);
    });

    it('sends nothing to a literal one', async () => {
      const sender = webhookSender({ allowLoopback: false });
      const answers = await Promise.all(
        [receiver.url, 'https://169.254.169.254/', 'https://[::ffff:10.0.0.1]/'].map((url) =>
          sender.send(webhook(url)),
        ),
      );
      expect(answers.map(({ kind }) => kind)).toEqual(['failed', 'failed', 'failed']);
      expect(receiver.received).toEqual([]);
    });

    // DNS rebinding: a name that is harmless when it is checked and something else when it is connected to.
    it('connects to the address that it checked, under the name that was asked for', async () => {
      const names: string[] = [];
      const server = createTlsServer({
        SNICallback: (name, done) => {
          names.push(name);
          done(null, undefined);
        },
      });
      server.on('tlsClientError', () => undefined);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const asked: string[] = [];
      const resolve: Resolve = (name) => {
        asked.push(name);
        return Promise.resolve([asked.length === 1 ? LOOPBACK : METADATA]);
      };

      const sender = webhookSender({ allowLoopback: true, resolve });
      await sender.send(webhook(`https://rebound.example:${port}/`));
      server.close();

      expect(asked).toEqual(['rebound.example']);
      expect(names).toEqual(['rebound.example']);
    });
  });
});
