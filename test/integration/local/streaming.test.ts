import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anApi, aFunction } from './support/fixture-app.ts';
import { startFixture, type FixtureCloud } from './support/fixture-cloud.ts';
import { waitFor } from './support/wait-for.ts';

let cloud: FixtureCloud;
let gate: Server;
const waiting: ServerResponse[] = [];

/** Tells the function that streams what to do next. */
async function order(text: string): Promise<void> {
  const response = await waitFor('the function at the gate', () => waiting.shift());
  response.end(text);
}

beforeAll(async () => {
  gate = createServer((_request, response) => {
    waiting.push(response);
  });
  gate.listen(0, '127.0.0.1');
  await once(gate, 'listening');
  const GATE_URL = `http://127.0.0.1:${(gate.address() as AddressInfo).port}`;
  cloud = await startFixture({
    Resources: {
      Stream: aFunction('stream', { Environment: { Variables: { GATE_URL } } }),
      Echo: aFunction('echo'),
      ...anApi([
        { method: 'GET', path: '/events', function: 'Stream', streams: true },
        { method: 'GET', path: '/echo', function: 'Echo', streams: true },
      ]),
    },
  });
});

beforeEach(() => {
  waiting.length = 0;
});

afterAll(async () => {
  await cloud.stop();
  gate.closeAllConnections();
  gate.close();
});

async function open(path: string) {
  const response = await fetch(`${cloud.apiUrl}${path}`);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const read = async () => {
    const { value } = await reader.read();
    return value && Buffer.from(value).toString();
  };
  return { response, read };
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
    { name: 'a failure before the stream', path: '/events?without=stream' },
    { name: 'a function that does not stream', path: '/echo' },
  ])('answers 502 to $name', async ({ path }) => {
    const response = await fetch(`${cloud.apiUrl}${path}`);

    expect(response.status).toBe(502);
  });
});
