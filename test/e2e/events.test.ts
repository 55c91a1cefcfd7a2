import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { problemSchema } from '../../src/protocol/problem.ts';
import { ApiClient } from '../support/api-client.ts';
import { type CuttingProxy, startCuttingProxy } from '../support/cutting-proxy.ts';
import { readWithEventSource } from '../support/event-source-client.ts';
import { EventParser } from '../support/event-stream.ts';
import { describeLocal, type LocalTarget, startLocalTarget } from '../support/target.ts';

jest.setTimeout(180_000);

/** `events.reservedConcurrency` of the local profile. */
const MOST_STREAMS = 100;

describeLocal('live events', 'the emulator answers 5xx to streamed integrations', () => {
  let target: LocalTarget;
  let api: ApiClient;
  let acme: string;
  const clients: AbortController[] = [];

  beforeAll(async () => {
    target = await startLocalTarget();
    api = new ApiClient(target);
    acme = target.keys.acme;
  });

  afterEach(() => {
    clients.splice(0).forEach((client) => {
      client.abort();
    });
  });

  afterAll(async () => {
    await target.stop();
  });

  interface Options {
    readonly key?: string;
    readonly query?: string;
    readonly lastEventId?: string;
  }

  async function open(jobId: string, { key = acme, query = '', lastEventId }: Options = {}) {
    const client = new AbortController();
    clients.push(client);
    return fetch(`${target.apiUrl}/jobs/${jobId}/events${query}`, {
      signal: client.signal,
      headers: {
        authorization: `Bearer ${key}`,
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
    });
  }

  /** Reads a stream until `isEnough` or its end. */
  async function read(
    response: Response,
    isEnough: (parser: EventParser) => boolean = () => false,
  ): Promise<EventParser> {
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const parser = new EventParser();
    const decoder = new TextDecoder();
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      if (isEnough(parser)) break;
    }
    return parser;
  }

  const events = async (jobId: string, options?: Options) => read(await open(jobId, options));

  async function problem(response: Response) {
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    const body = problemSchema.strict().parse(await response.json());
    expect(body.status).toBe(response.status);
    expect(response.headers.get('x-request-id')).toBe(body.requestId);
    return body;
  }

  it('are those of the trace while a job runs, and end with the final one', async () => {
    const jobId = await api.submit('five-steps', { steps: 4, stepMs: 200 });

    const { entries, retryMs } = await events(jobId);

    expect(entries[0]?.type).toBe('job.submitted');
    expect(entries.at(-1)?.type).toBe('job.succeeded');
    expect(entries).toEqual(await api.trace(jobId));
    expect(retryMs).toBe(1_000);
    // Whoever hears of the end finds the job ended.
    expect((await api.job(jobId)).status).toBe('succeeded');
  });

  describe('read by a stock client whose connection is cut ten times at random', () => {
    let proxy: CuttingProxy | undefined;

    afterEach(async () => {
      await proxy?.stop();
    });

    it('have no gap and no double', async () => {
      const jobId = await api.submit('five-steps', { steps: 60, stepMs: 150 });
      proxy = await startCuttingProxy(target.apiUrl, { seed: 7, cuts: 10, mostBytes: 2_500 });

      const received = await readWithEventSource(`${proxy.url}/jobs/${jobId}/events`, {
        key: acme,
      });

      expect(proxy.cuts).toBe(10);
      expect(received.map(({ entry }) => entry)).toEqual(await api.trace(jobId));
      expect(new Set(received.map(({ id }) => id)).size).toBe(received.length);
    });
  });

  it('of a job that ended long ago go on behind any of them, by header and by query', async () => {
    const { jobId } = await api.run('flaky', { failures: 2 });
    const { ids, entries } = await events(jobId);
    expect(entries).toEqual(await api.trace(jobId));

    for (const [index, id] of ids.slice(0, -1).entries()) {
      const options = index % 2 === 0 ? { lastEventId: id } : { query: `?after=${id}` };
      expect((await events(jobId, options)).ids).toEqual(ids.slice(index + 1));
    }
  });

  it('answer 204 behind the final one, until the job is restarted', async () => {
    const { jobId } = await api.run('stubborn', {});
    const before = await events(jobId);
    const last = before.ids.at(-1) ?? '';
    expect(before.entries.at(-1)?.type).toBe('job.failed');

    const over = await open(jobId, { lastEventId: last });
    expect({ status: over.status, text: await over.text() }).toEqual({ status: 204, text: '' });

    await api.order(jobId, 'retry', { hint: 'please' });
    const after = await events(jobId, { lastEventId: last });
    expect(after.entries[0]).toMatchObject({ type: 'job.restarted', generation: 2 });
    expect(after.entries.at(-1)?.type).toBe('job.succeeded');
    expect([...before.entries, ...after.entries]).toEqual(await api.trace(jobId));
    expect((await events(jobId)).ids).toEqual([...before.ids, ...after.ids]);
  });

  it('show a cancel of a job that no worker has held', async () => {
    await target.control.pauseQueues();
    const jobId = await api.submit('echo', { value: 1 });
    await api.order(jobId, 'cancel');
    await target.control.resumeQueues();

    expect((await events(jobId)).entries).toEqual(await api.trace(jobId));
  });

  it('of thousands of entries come part by part', async () => {
    const { jobId } = await api.run('fan-out', { items: 2_000, concurrency: 100, bytes: 700 });

    const { ids, entries } = await events(jobId);

    expect(entries.length).toBeGreaterThan(2_000);
    expect(new Set(ids).size).toBe(ids.length);
    expect(entries).toEqual(await api.trace(jobId));
  });

  it('keep a silent stream alive by comments', async () => {
    const jobId = await api.submit('nap', { ms: 3_600_000 });

    const { comments } = await read(await open(jobId), (parser) => parser.comments.length > 0);

    expect(comments).toEqual(['heartbeat']);
  });

  it.each([
    { name: 'a malformed position', options: { query: '?after=12' }, status: 400 },
    {
      name: 'a position of a generation to come',
      options: { lastEventId: '7.1.0' },
      status: 400,
    },
    { name: 'no valid key', options: { key: 'lh_nobody' }, status: 401 },
    { name: "another tenant's job", options: { key: 'globex' }, status: 404 },
    { name: 'a key that may only write', options: { key: 'writeonly' }, status: 403 },
  ])('are refused for $name with $status', async ({ options, status }) => {
    const jobId = await api.submit('echo', { value: 'private' });
    const { key = 'acme', ...others } = options as Options;
    const keys = target.keys as unknown as Record<string, string>;

    const body = await problem(await open(jobId, { ...others, key: keys[key] ?? key }));

    expect(body.status).toBe(status);
    expect(JSON.stringify(body)).not.toContain('private');
  });

  it('go to a hundred clients in less than 512 MB, and send one more to poll until another leaves', async () => {
    const jobId = await api.submit('nap', { ms: 3_600_000 });
    const streams = await Promise.all(Array.from({ length: MOST_STREAMS }, () => open(jobId)));
    expect(streams.map(({ status }) => status)).toEqual(Array(MOST_STREAMS).fill(200));
    expect(await residentMb()).toBeLessThan(512);

    const refused = await open(jobId);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(await problem(refused)).toMatchObject({ status: 503, code: 'unavailable' });
    expect((await api.job(jobId)).jobId).toBe(jobId);

    clients[0]?.abort();
    for (let status = 503; status !== 200;) {
      ({ status } = await open(jobId));
      await delay(50);
    }
  });

  /** Memory of all processes that serve events. */
  async function residentMb(): Promise<number> {
    const pids = await target.control.processesOf('events');
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', pids.join(',')]);
    return stdout.split('\n').reduce((sum, line) => sum + Number(line) / 1024, 0);
  }
});
