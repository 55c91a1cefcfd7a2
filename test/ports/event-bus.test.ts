import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EventBuses } from '../../local/event-buses/event-buses.ts';
import { eventBridgeBus } from '../../src/adapters/eventbridge/event-bus.ts';
import { MemoryEventBus } from '../../src/adapters/memory/event-bus.ts';
import type { EventBus, StatusChange } from '../../src/core/ports/event-bus.ts';

const CHANGE: StatusChange = {
  eventId: 'evt_1',
  jobId: 'job-1',
  tenantId: 'acme',
  agent: 'greet',
  change: 'succeeded',
  status: 'succeeded',
  generation: 1,
  attempts: 2,
  createdAt: '2030-01-01T12:00:00.000Z',
  changedAt: '2030-01-01T12:00:05.000Z',
  finishedAt: '2030-01-01T12:00:05.000Z',
  metadata: { desk: 'Zürich' },
  tags: ['nightly'],
};

let buses: EventBuses;
let server: Server;
let client: EventBridgeClient;

beforeAll(async () => {
  server = createServer((message, response) => void buses.serve(message, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = new EventBridgeClient({
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
});

afterAll(async () => {
  client.destroy();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

beforeEach(() => {
  buses = new EventBuses(['jobs']);
});

const memory = () => {
  const bus = new MemoryEventBus();
  return { bus, details: () => bus.changes };
};
const emulated = () => ({
  bus: eventBridgeBus({ client, name: 'jobs' }),
  details: () => buses.events.map(({ detail }) => detail),
});

describe.each<[string, () => { bus: EventBus; details: () => readonly unknown[] }]>([
  ['memory', memory],
  ['EventBridge of the local cloud', emulated],
])('event bus: %s', (_name, make) => {
  it('gets changes whole and in order', async () => {
    const { bus, details } = make();
    await bus.put(CHANGE);
    await bus.put({ ...CHANGE, eventId: 'evt_2', error: { code: 'step_failed', message: 'no' } });
    expect(details()).toEqual([
      CHANGE,
      { ...CHANGE, eventId: 'evt_2', error: { code: 'step_failed', message: 'no' } },
    ]);
  });
});

describe('a change on EventBridge', () => {
  it('is marked so that rules can match it', async () => {
    await eventBridgeBus({ client, name: 'jobs' }).put(CHANGE);
    expect(buses.events).toEqual([
      {
        bus: 'jobs',
        source: 'longhaul',
        detailType: 'Longhaul Job Status Change',
        detail: CHANGE,
      },
    ]);
  });

  it('that the bus refuses is not taken for put, although the request succeeds', async () => {
    const gone = eventBridgeBus({ client, name: 'gone' });
    await expect(gone.put(CHANGE)).rejects.toMatchObject({ code: 'unavailable' });
    expect(buses.events).toEqual([]);
  });
});
