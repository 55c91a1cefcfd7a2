import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anApi, aFunction } from './support/fixture-app.ts';
import { startFixture, type FixtureCloud } from './support/fixture-cloud.ts';
import { waitFor } from './support/wait-for.ts';

let cloud: FixtureCloud;
let gate: Server;
/** Functions at the gate, with what they say and the process they run in. */
let waiting: { readonly what: string; readonly pid: string; readonly response: ServerResponse }[] =
  [];

/** A function that says `what` at the gate. */
const atGate = (what: string | RegExp) =>
  waitFor(`a function that says ${what}`, () => {
    const found = waiting.find((one) => one.what.match(what) !== null);
    waiting = waiting.filter((one) => one !== found);
    return found;
  });

/** Tells a function that streams what to do next. */
async function order(text: string): Promise<void> {
  const { response } = await atGate('next');
  response.end(text);
}

beforeAll(async () => {
  gate = createServer(({ url = '' }, response) => {
    const [, what = '', pid = ''] = url.split('/');
    waiting.push({ what, pid, response });
  });
  gate.listen(0, '127.0.0.1');
  await once(gate, 'listening');
  const GATE_URL = `http://127.0.0.1:${(gate.address() as AddressInfo).port}`;
  cloud = await startFixture({
    Resources: {
      Stream: aFunction('stream', {
        Environment: { Variables: { GATE_URL } },
        ReservedConcurrentExecutions: 4,
      }),
      Echo: aFunction('echo'),
      ...anApi([
        { method: 'GET', path: '/events', function: 'Stream', streams: true },
        { method: 'GET', path: '/echo', function: 'Echo', streams: true },
      ]),
    },
  });
});

beforeEach(async () => {
  // Streams that a test leaves open would count against the next one.
  await cloud.control('POST', '/environments/crash', { function: 'stream' });
  waiting = [];
});

afterAll(async () => {
  await cloud.stop();
  gate.closeAllConnections();
  gate.close();
});

async function open(path: string) {
  const client = new AbortController();
  const response = await fetch(`${cloud.apiUrl}${path}`, { signal: client.signal });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const read = async () => {
    const { value } = await reader.read();
    return value && Buffer.from(value).toString();
  };
  const leave = () => {
    client.abort();
  };
  return { response, read, leave };
}

describe('a streaming integration', () => {
  it('passes status, headers and each piece on as they come', async () => {
    const { response, read } = await open('/events');

    expect(response.status).toBe(201);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('x-amzn-requestid')).toBeTruthy();
    await expect(read()).resolves.toBe('first\n');
    await order('second');
    await expect(read()).resolves.toBe('second\n');
    await order('end');
    await expect(read()).resolves.toBe('last\n');
    await expect(read()).resolves.toBeUndefined();
  });

  it.each(['throw', 'crash'])('cuts the response when the function does %s', async (what) => {
    const { read } = await open('/events');
    await read();

    await order(what);

    await expect(read()).rejects.toThrow('terminated');
  });

  it('sends status and headers of a response without a body', async () => {
    const { response, read } = await open('/events?without=body');

    expect(response.status).toBe(201);
    await expect(read()).resolves.toBeUndefined();
  });

  it.each([
    { name: 'a stream without metadata', path: '/events?without=metadata' },
    {
      name: 'an end without a write, which is what sends the metadata',
      path: '/events?without=write',
    },
    { name: 'a failure before the stream', path: '/events?without=stream' },
    { name: 'a function that does not stream', path: '/echo' },
  ])('answers 502 to $name', async ({ path }) => {
    const response = await fetch(`${cloud.apiUrl}${path}`);

    expect(response.status).toBe(502);
  });
});

describe('several streams of a function', () => {
  it('are served by one process, each with its own pieces', async () => {
    const streams = [];
    for (let count = 0; count < 3; count++) streams.push(await open('/events'));
    for (const { read } of streams) await expect(read()).resolves.toBe('first\n');

    const functions = [await atGate('next'), await atGate('next'), await atGate('next')];
    functions.forEach(({ response }, index) => response.end(`for ${index}`));

    const texts = await Promise.all(streams.map(({ read }) => read()));
    expect(texts.sort()).toEqual(['for 0\n', 'for 1\n', 'for 2\n']);
    expect(new Set(functions.map(({ pid }) => pid)).size).toBe(1);
  });

  it('die together when their process does', async () => {
    const [one, other] = [await open('/events'), await open('/events')];
    await Promise.all([one.read(), other.read()]);

    await order('crash');

    await expect(one.read()).rejects.toThrow('terminated');
    await expect(other.read()).rejects.toThrow('terminated');
    await expect((await open('/events')).read()).resolves.toBe('first\n');
  });

  it('are refused above the concurrency that the template reserves, until one ends', async () => {
    const streams = [];
    for (let count = 0; count < 4; count++) streams.push(await open('/events'));
    // API Gateway takes a throttled function for one it cannot call.
    expect((await fetch(`${cloud.apiUrl}/events`)).status).toBe(500);

    streams[0]?.leave();
    (await atGate('gone')).response.end();

    const again = await waitFor('a free place', async () => {
      const opened = await open('/events');
      return opened.response.status === 201 ? opened : undefined;
    });
    await expect(again.read()).resolves.toBe('first\n');
  });
});

describe('a client', () => {
  it('that goes away ends the stream of the function', async () => {
    const { read, leave } = await open('/events');
    await read();

    leave();

    (await atGate('gone')).response.end();
    await waitFor('the end of the invocation', async () => {
      const { environments } = await cloud.control('GET', '/environments');
      const one = (environments as { name: string; requestId: unknown }[]).find(
        ({ name }) => name === 'stream',
      );
      return one?.requestId === null ? one : undefined;
    });
  });

  it('that reads nothing makes the function wait, and gets everything when it reads again', async () => {
    const { read } = await open('/events');
    await read();

    await order('flood');
    const { what, response } = await atGate(/wrote-/);
    const megabytes = Number(what.split('-')[1]);
    response.end();

    // What sockets and streams between the two hold, and not the 200 MB that the function would have written.
    expect(megabytes).toBeLessThan(50);
    let bytes = 0;
    while (bytes < megabytes * 1_000_000) bytes += (await read())?.length ?? Infinity;
    expect(bytes).toBeGreaterThanOrEqual(megabytes * 1_000_000);
  });
});
