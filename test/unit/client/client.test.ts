import { describe, expect, it } from '@jest/globals';
import { LonghaulClient, type Submission } from '../../../client/index.ts';
import { ROUTES } from '../../../src/protocol/routes.ts';
import {
  eventStream,
  fakeApi,
  json,
  problem,
  type Reply,
  sse,
  streamOf,
} from '../../support/fake-api.ts';

const JOB = { jobId: 'job_1', status: 'running' };
const DONE = { ...JOB, status: 'succeeded', result: 7 };
const soon = { 'retry-after': '0' };

function clientFor(replies: readonly Reply[]) {
  const api = fakeApi(replies);
  const retry = { tries: 3, baseDelayMs: 1 };
  return { ...api, client: new LonghaulClient({ ...api, apiKey: 'lh_test', retry }) };
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe('ids and names that would make the address of something else', () => {
  it.each(['', '.', '..', undefined as unknown as string])(
    'are refused before anything is sent: %j',
    async (id) => {
      const { client, sent } = clientFor([]);
      const calls = [
        () => client.get(id),
        () => client.wait(id),
        () => client.cancel(id),
        () => all(client.events(id)),
        () => all(client.trace(id)),
        () => client.signal('job_1', id, {}),
        () => client.resend('job_1', id),
        () => client.deadLetter(id),
        () => client.schedule(id),
        () => client.deleteSchedule(id),
      ];
      for (const call of calls)
        await expect(call()).rejects.toMatchObject({ code: 'invalid_argument' });
      expect(sent).toEqual([]);
    },
  );
});

/** What a program asks, and the route that answers. */
const CALLS: Readonly<Record<string, (client: LonghaulClient) => Promise<unknown>>> = {
  'POST /jobs': (client) => client.submit({ agent: 'greet', input: 1 }),
  'POST /jobs/batch': (client) => client.batch([{ agent: 'greet', input: 1 }]),
  'POST /uploads': (client) => client.upload('{}'),
  'GET /jobs': (client) => all(client.list()),
  'GET /jobs/{jobId}': (client) => client.get('a/b'),
  'GET /jobs/{jobId}/trace': (client) => all(client.trace('a/b')),
  'GET /jobs/{jobId}/events': (client) => all(client.events('a/b')),
  'POST /jobs/{jobId}/cancel': (client) => client.cancel('a/b'),
  'POST /jobs/{jobId}/pause': (client) => client.pause('a/b'),
  'POST /jobs/{jobId}/resume': (client) => client.resume('a/b'),
  'POST /jobs/{jobId}/retry': (client) => client.retry('a/b'),
  'POST /jobs/{jobId}/fork': (client) => client.fork('a/b', { fromStep: 's' }),
  'POST /jobs/{jobId}/signals/{name}': (client) => client.signal('a/b', 'n', {}),
  'GET /jobs/{jobId}/deliveries': (client) => client.deliveries('a/b'),
  'POST /jobs/{jobId}/deliveries/{deliveryId}/resend': (client) => client.resend('a/b', 'd'),
  'GET /dead-letters': (client) => all(client.deadLetters()),
  'GET /dead-letters/{jobId}': (client) => client.deadLetter('a/b'),
  'POST /dead-letters/redrive': (client) => client.redrive({ all: true }),
  'GET /stalled-jobs': (client) => all(client.stalledJobs()),
  'GET /usage': (client) => client.usage(),
  'GET /schedules': (client) => client.schedules(),
  'GET /schedules/{name}': (client) => client.schedule('n'),
  'PUT /schedules/{name}': (client) =>
    client.putSchedule('n', { expression: 'rate(1 hour)', agent: 'greet', input: 1 }),
  'DELETE /schedules/{name}': (client) => client.deleteSchedule('n'),
  'POST /schedules/{name}/pause': (client) => client.pauseSchedule('n'),
  'POST /schedules/{name}/resume': (client) => client.resumeSchedule('n'),
};
const VALUES: Readonly<Record<string, string>> = { jobId: 'a%2Fb', name: 'n', deliveryId: 'd' };
/** For probes and tools. */
const WITHOUT_METHOD = ['GET /healthz', 'GET /openapi.json'];

describe('the methods of the client', () => {
  it('are there for every route', () => {
    const routes = ROUTES.map(({ method, path }) => `${method} ${path}`);
    const known = [...Object.keys(CALLS), ...WITHOUT_METHOD];
    expect(routes.filter((route) => !known.includes(route))).toEqual([]);
  });

  it.each(Object.entries(CALLS))('ask %s, whatever is in an id', async (route, call) => {
    const { client, sent } = clientFor([problem(404, 'not_found')]);

    await expect(call(client)).rejects.toMatchObject({ code: 'not_found' });

    const path = route.replace(/\{(\w+)\}/g, (_, name: string) => VALUES[name] ?? '');
    expect(sent.map((request) => `${request.method} ${request.path}`)).toEqual([path]);
  });
});

describe('submit', () => {
  it('uses one key for all tries of a call, and another for the next call', async () => {
    const replies = [problem(503, 'unavailable'), json(202, JOB), json(202, JOB)];
    const { client, sent } = clientFor(replies);

    await client.submit({ agent: 'greet', input: 1 });
    await client.submit({ agent: 'greet', input: 1 });

    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys[0]).toBe(keys[1]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  it('says whether the key had made the job before, and asks to hold the answer back', async () => {
    const replayed = json(202, JOB, { 'idempotent-replayed': 'true' });
    const { client, sent } = clientFor([replayed, json(200, DONE)]);
    const submission = { agent: 'greet', input: 1, idempotencyKey: 'k' };

    expect(await client.submit(submission)).toEqual({ ...JOB, replayed: true });
    expect(await client.submit(submission, { waitSeconds: 20 })).toMatchObject({ result: 7 });

    expect(sent.map(({ headers }) => headers.get('prefer'))).toEqual([
      null,
      'respond-async, wait=20',
    ]);
  });

  it('uploads an input that is too large for a request, whole and once', async () => {
    const ticket = {
      url: 'https://bucket.test/upload?X-Amz-Signature=1',
      method: 'PUT',
      headers: { 'content-length': '9', 'if-none-match': '*', 'content-type': 'application/json' },
      inputRef: { uploadId: 'upl_1' },
    };
    const { client, sent } = clientFor([
      json(201, ticket),
      new TypeError('fetch failed'),
      // The first try had come through.
      new Response('<Code>PreconditionFailed</Code>', { status: 412 }),
      json(202, JOB),
    ]);
    const input = { text: 'ö'.repeat(1_200_000) };

    await client.submit({ agent: 'greet', input, tags: ['large'] });

    const bytes = new TextEncoder().encode(JSON.stringify(input));
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex');
    const [announced, , put, submitted] = sent;
    expect(announced?.body).toEqual({ sizeBytes: bytes.byteLength, sha256: digest });
    expect(put).toMatchObject({ method: 'PUT', path: ticket.url });
    expect(Buffer.from(put?.body as Uint8Array).equals(bytes)).toBe(true);
    expect(Object.fromEntries(put?.headers ?? [])).toEqual({
      'if-none-match': '*',
      'content-type': 'application/json',
    });
    expect(submitted?.body).toEqual({
      agent: 'greet',
      inputRef: { uploadId: 'upl_1' },
      tags: ['large'],
    });
  });

  it('says what S3 answered to an upload, and not the address, which is a credential', async () => {
    const ticket = { url: 'https://b.test/?X-Amz-Signature=1', method: 'PUT', headers: {} };
    const { client } = clientFor([
      json(201, ticket),
      new Response('<Code>BadDigest</Code>', { status: 400 }),
    ]);

    const error: unknown = await client.upload('{}').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'upload_failed', status: 400 });
    expect(String(error)).toContain('BadDigest');
    expect(String(error)).not.toContain('Signature');
  });
});

describe('batch', () => {
  const submissions = (count: number): Submission[] =>
    Array.from({ length: count }, (_, n) => ({ agent: 'greet', input: n }));
  const accepted = (n: number) => ({ status: 202, job: { jobId: `job_${n}` } });
  type Batch = { jobs: { input: number; idempotencyKey: string }[] };

  const acceptAll: Reply = ({ body }) =>
    json(200, { outcomes: (body as Batch).jobs.map(({ input }) => accepted(input)) });

  it('sends any number, a hundred at a time, each with a key of its own', async () => {
    const { client, sent } = clientFor([acceptAll, acceptAll, acceptAll]);

    const outcomes = await client.batch(submissions(250));

    expect(outcomes).toEqual(Array.from({ length: 250 }, (_, n) => accepted(n)));
    expect(sent.map(({ body }) => (body as Batch).jobs.length)).toEqual([100, 100, 50]);
    const keys = sent.flatMap(({ body }) => (body as Batch).jobs.map((job) => job.idempotencyKey));
    expect(new Set(keys).size).toBe(250);
  });

  it('sends no more bytes at a time than a request may have', async () => {
    const { client, sent } = clientFor([acceptAll, acceptAll, acceptAll]);
    const large = (n: number) => ({
      agent: 'greet',
      input: n,
      metadata: { t: 'x'.repeat(900_000) },
    });

    await client.batch([0, 1, 2, 3, 4].map(large));

    expect(sent.map(({ body }) => (body as Batch).jobs.length)).toEqual([2, 2, 1]);
  });

  it('uploads an input that is too large for a batch of one', async () => {
    const ticket = {
      url: 'https://bucket.test/u',
      method: 'PUT',
      headers: {},
      inputRef: { uploadId: 'u' },
    };
    const { client, sent } = clientFor([json(201, ticket), json(200, {}), acceptAll]);
    const envelope = JSON.stringify({ agent: 'greet', input: '' }).length;

    await client.batch([{ agent: 'greet', input: 'x'.repeat(2 * 1024 * 1024 - envelope) }]);

    expect(sent).toHaveLength(3);
    expect((sent[2]?.body as Batch).jobs).toMatchObject([{ inputRef: { uploadId: 'u' } }]);
  });

  it('sends those again that were put off, under their keys, and keeps the order', async () => {
    const unavailable = { status: 503, problem: { code: 'unavailable' } };
    const invalid = { status: 422, problem: { code: 'invalid_input' } };
    const { client, sent } = clientFor([
      json(200, { outcomes: [accepted(0), unavailable, invalid, unavailable] }),
      json(200, { outcomes: [accepted(1), unavailable] }),
      json(200, { outcomes: [unavailable] }),
    ]);

    const outcomes = await client.batch(submissions(4));

    expect(outcomes).toEqual([accepted(0), accepted(1), invalid, unavailable]);
    const jobs = sent.map(({ body }) => (body as Batch).jobs);
    expect(jobs.map((each) => each.map(({ input }) => input))).toEqual([[0, 1, 2, 3], [1, 3], [3]]);
    expect(jobs[2]?.[0]?.idempotencyKey).toBe(jobs[0]?.[3]?.idempotencyKey);
  });

  it('sends nothing for nothing', async () => {
    const { client, sent } = clientFor([]);
    expect(await client.batch([])).toEqual([]);
    expect(sent).toEqual([]);
  });
});

describe('wait', () => {
  const paths = (sent: readonly { path: string }[]) => sent.map(({ path }) => path);

  it('answers at once when the job has ended', async () => {
    const { client, sent } = clientFor([json(200, DONE)]);
    expect(await client.wait('job_1')).toEqual(DONE);
    expect(paths(sent)).toEqual(['/jobs/job_1']);
  });

  it('is told of the end by the events, also over a cut', async () => {
    const { client, sent } = clientFor([
      json(200, JOB),
      eventStream([sse('1.1.0', 'attempt.started'), new TypeError('terminated')]),
      eventStream([sse('1.2.0', 'job.succeeded')]),
      json(200, DONE),
    ]);

    expect(await client.wait('job_1')).toEqual(DONE);
    expect(paths(sent)).toEqual([
      '/jobs/job_1',
      '/jobs/job_1/events',
      '/jobs/job_1/events',
      '/jobs/job_1',
    ]);
  });

  it.each<{ name: string; refusal: Reply; times?: number }>([
    { name: 'no stream is free', refusal: () => problem(503, 'unavailable', soon) },
    { name: 'the API has none', refusal: () => problem(404, 'not_found') },
    { name: 'no connection holds', refusal: new TypeError('fetch failed'), times: 3 },
  ])('polls when the API says so, where $name', async ({ refusal, times = 1 }) => {
    const { client, sent } = clientFor([
      json(200, JOB, soon),
      ...Array.from({ length: times }, () => refusal),
      json(200, JOB, soon),
      json(200, JOB, soon),
      json(200, DONE),
    ]);

    expect(await client.wait('job_1')).toEqual(DONE);
    expect(paths(sent).filter((path) => path.endsWith('/events'))).toHaveLength(times);
    expect(paths(sent).filter((path) => path === '/jobs/job_1')).toHaveLength(4);
  });

  it('gives up after the time it was given, and shows the job as it was last', async () => {
    const { client } = clientFor([json(200, JOB), () => streamOf(new ReadableStream())]);

    await expect(client.wait('job_1', { timeoutMs: 20 })).rejects.toMatchObject({
      name: 'WaitTimeoutError',
      code: 'wait_timeout',
      job: JOB,
    });
  });

  it('ends with the reason of the caller', async () => {
    const reason = new Error('enough');
    const controller = new AbortController();
    const stream = () => {
      setTimeout(() => {
        controller.abort(reason);
      });
      return streamOf(new ReadableStream());
    };
    const { client } = clientFor([json(200, JOB), stream]);

    const { signal } = controller;
    await expect(client.wait('job_1', { signal, timeoutMs: 60_000 })).rejects.toBe(reason);
  });

  it('ends with what is wrong with the job itself', async () => {
    const { client } = clientFor([problem(404, 'not_found')]);
    await expect(client.wait('job_x')).rejects.toMatchObject({ code: 'not_found', status: 404 });
  });
});

describe('lists', () => {
  it('begin at a cursor, and go on over empty pages', async () => {
    const { client, sent } = clientFor([
      json(200, { jobs: [], next: 'c2' }),
      json(200, { jobs: [JOB] }),
    ]);

    expect(await all(client.list({ tag: 'a b' }, { cursor: 'c1', limit: 5 }))).toEqual([JOB]);
    expect(sent.map(({ path }) => path)).toEqual([
      '/jobs?tag=a+b&cursor=c1&limit=5',
      '/jobs?tag=a+b&cursor=c2&limit=5',
    ]);
  });

  it('give one page where that is wanted', async () => {
    const { client } = clientFor([json(200, { jobs: [JOB], next: 'c1' })]);
    expect(await client.listPage()).toEqual({ items: [JOB], next: 'c1' });
  });
});
