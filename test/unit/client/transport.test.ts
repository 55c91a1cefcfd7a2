import { describe, expect, it } from '@jest/globals';
import { LonghaulError } from '../../../client/errors.ts';
import { type ApiRequest, Transport } from '../../../client/transport.ts';
import { fakeApi, fakeTransport, json, problem, type Reply } from '../../support/fake-api.ts';

const SUBMIT: ApiRequest = { method: 'POST', path: '/jobs', body: { agent: 'greet', input: 1 } };
const cut = () => new TypeError('fetch failed', { cause: new Error('read ECONNRESET') });

async function errorOf(promise: Promise<unknown>): Promise<LonghaulError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(LonghaulError);
  return error as LonghaulError;
}

describe('requests of the client', () => {
  it.each<{ name: string; first: Reply }>([
    { name: 'a network error', first: cut() },
    { name: '429', first: problem(429, 'throttled') },
    { name: '500', first: problem(500, 'internal_error') },
    { name: '503', first: problem(503, 'unavailable') },
    { name: '504 of a gateway', first: new Response('Gateway Timeout', { status: 504 }) },
    { name: '409 in progress', first: problem(409, 'idempotency_in_progress') },
  ])('are sent again after $name, as they were', async ({ first }) => {
    const { transport, sent } = fakeTransport([first, json(202, { jobId: 'job_1' })]);

    const headers = { 'idempotency-key': 'key-1' };
    const answer = await transport.send({ ...SUBMIT, headers });

    expect(answer.body).toEqual({ jobId: 'job_1' });
    expect(sent).toHaveLength(2);
    expect(sent[1]).toEqual(sent[0]);
    expect(sent[0]?.headers.get('idempotency-key')).toBe('key-1');
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer lh_test');
  });

  it.each([
    { status: 400, code: 'invalid_request' },
    { status: 401, code: 'unauthorized' },
    { status: 403, code: 'insufficient_scope' },
    { status: 404, code: 'not_found' },
    { status: 409, code: 'conflict' },
    { status: 413, code: 'payload_too_large' },
    { status: 422, code: 'idempotency_key_reused' },
  ])('are not sent again after $status $code', async ({ status, code }) => {
    const { transport, sent } = fakeTransport([problem(status, code)]);

    const error = await errorOf(transport.send(SUBMIT));

    expect(error).toMatchObject({ code, status, requestId: 'request-1', retryable: false });
    expect(error.problem).toMatchObject({ code, detail: `told ${code}` });
    expect(sent).toHaveLength(1);
  });

  it('pause twice as long each time, and give up after the tries they have', async () => {
    const retry = { tries: 5, baseDelayMs: 100, maxDelayMs: 300 };
    const { transport, sent, pauses } = fakeTransport([1, 2, 3, 4, 5].map(cut), retry);

    const error = await errorOf(transport.send(SUBMIT));

    expect(error).toMatchObject({ code: 'network_error', retryable: true, status: undefined });
    expect(error.message).toContain('ECONNRESET');
    expect(pauses).toEqual([100, 200, 300, 300]);
    expect(sent).toHaveLength(5);
  });

  it('wait as long as Retry-After says, in seconds or to a date', async () => {
    const inTenSeconds = new Date(Date.now() + 10_000).toUTCString();
    const replies = [
      problem(429, 'throttled', { 'retry-after': '7' }),
      problem(503, 'unavailable', { 'retry-after': inTenSeconds }),
      json(200, {}),
    ];
    const { transport, pauses } = fakeTransport(replies, { baseDelayMs: 1 });

    await transport.send(SUBMIT);

    expect(pauses[0]).toBe(7_001);
    expect(pauses[1]).toBeGreaterThan(8_000);
    expect(pauses[1]).toBeLessThanOrEqual(10_001);
  });

  it('do not wait longer than they may: the caller learns how long it would be', async () => {
    const { transport, sent } = fakeTransport([
      problem(429, 'throttled', { 'retry-after': '3600' }),
    ]);

    const error = await errorOf(transport.send(SUBMIT));

    expect(error).toMatchObject({ code: 'throttled', retryAfterMs: 3_600_000 });
    expect(sent).toHaveLength(1);
  });

  it('end when the caller says so, with its reason, also between two tries', async () => {
    const reason = new Error('changed my mind');
    const controller = new AbortController();
    const { transport, sent } = fakeTransport([
      () => {
        controller.abort(reason);
        return problem(503, 'unavailable');
      },
    ]);

    const { signal } = controller;
    await expect(transport.send({ ...SUBMIT, signal })).rejects.toBe(reason);
    await expect(transport.send({ ...SUBMIT, signal })).rejects.toBe(reason);
    expect(sent).toHaveLength(1);
  });

  it('leave no timer behind that would keep a program from its end', async () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const { transport } = fakeTransport([]);
    const before = timers();

    const signal = AbortSignal.abort(new Error('too late'));
    const events = { method: 'GET', path: '/jobs/job_1/events', signal } as const;
    await expect(transport.open(events)).rejects.toThrow('too late');

    expect(timers()).toBe(before);
  });

  it('are given up when no answer comes, and sent again', async () => {
    let asked = 0;
    const fetch: typeof globalThis.fetch = (_, init) => {
      asked += 1;
      if (asked > 1) return Promise.resolve(json(200, { late: true }));
      return new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => {
          reject(init.signal?.reason as Error);
        });
      });
    };
    const options = { baseUrl: 'https://api.test/v1', apiKey: 'lh_test', fetch, timeoutMs: 20 };
    const transport = new Transport({ ...options, retry: { baseDelayMs: 1 } });

    expect((await transport.send(SUBMIT)).body).toEqual({ late: true });
    expect(asked).toBe(2);
  });

  it('ask for the credential each time, and fail with what that throws', async () => {
    const { fetch, sent, baseUrl } = fakeApi([problem(503, 'unavailable'), json(200, {})]);
    let count = 0;
    const apiKey = () => Promise.resolve(`token-${++count}`);
    const transport = new Transport({ baseUrl, apiKey, fetch, retry: { baseDelayMs: 1 } });
    await transport.send(SUBMIT);
    expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ]);

    const broken = new Error('no session');
    const locked = new Transport({ baseUrl, apiKey: () => Promise.reject(broken), fetch });
    await expect(locked.send(SUBMIT)).rejects.toBe(broken);
  });

  it('say so when something else than the API answers', async () => {
    const { transport } = fakeTransport([new Response('<html>Sign in</html>', { status: 200 })]);

    const error = await errorOf(transport.send(SUBMIT));

    expect(error).toMatchObject({ code: 'unexpected_answer', status: 200 });
  });

  it.each([
    { name: 'nothing', reply: () => new Response('', { status: 200 }) },
    { name: 'a page', reply: () => new Response('<html>', { status: 200 }) },
  ])('say so, too, when the answer is $name', async ({ reply }) => {
    const { transport } = fakeTransport([reply()]);
    expect((await errorOf(transport.send(SUBMIT))).code).toBe('unexpected_answer');
  });

  it('of streams say so when something else is answered, rather than to ask again and again', async () => {
    const page = { headers: { 'content-type': 'text/html' } };
    const { transport } = fakeTransport([new Response('<html>Sign in</html>', page)]);
    const error = await errorOf(transport.open({ method: 'GET', path: '/jobs/job_1/events' }));
    expect(error).toMatchObject({ code: 'unexpected_answer', retryable: false });
  });

  it.each([301, 302, 303, 307, 308])(
    'follow no redirect (%i): a POST might become a GET',
    async (status) => {
      const location = 'https://elsewhere.test/v1/jobs';
      const { transport, sent } = fakeTransport([
        new Response(null, { status, headers: { location } }),
      ]);

      const error = await errorOf(transport.send(SUBMIT));

      expect(error).toMatchObject({ code: 'redirected', status, retryable: false });
      expect(error.message).toContain(location);
      expect(sent.map(({ redirect }) => redirect)).toEqual(['manual']);
    },
  );

  it('with a header that cannot be sent fail at once, and tell no credential', async () => {
    const secret = `lh_secret\nx`;
    const { transport, sent } = fakeTransport([], {}, secret);

    const error = await errorOf(transport.send(SUBMIT));
    const headers = { 'idempotency-key': 'заказ-17' };
    const other = await errorOf(fakeTransport([]).transport.send({ ...SUBMIT, headers }));

    expect([error.code, other.code]).toEqual(['invalid_header', 'invalid_header']);
    expect(error.message + String(error.cause)).not.toContain('lh_secret');
    expect(other.message).toContain('idempotency-key');
    expect(sent).toEqual([]);
  });

  it('are refused before they are sent when the base URL is none', () => {
    for (const baseUrl of ['', 'api.example.com/v1', 'ftp://api.example.com']) {
      expect(() => new Transport({ baseUrl, apiKey: 'lh_test' })).toThrow(TypeError);
    }
  });
});
