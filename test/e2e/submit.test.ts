import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ApiClient, type ApiRequest, jobOf, problemOf } from '../support/api-client.ts';
import { startTarget, type Target } from '../support/target.ts';

jest.setTimeout(180_000);

const BODY = { agent: 'echo', input: { value: 'hello' } };

describe('submit', () => {
  let target: Target;
  let api: ApiClient;

  beforeAll(async () => {
    target = await startTarget();
    api = new ApiClient(target);
  });

  afterAll(async () => {
    await target.stop();
  });

  const withKey = (key: string): ApiRequest => ({ headers: { 'idempotency-key': key } });

  it('answers 202 at once with the job, where it is, and when to look', async () => {
    const response = await api.post({ ...BODY, metadata: { order: '17' }, tags: ['a:b', 'c'] });

    const job = jobOf(response, 202);
    expect(job).toMatchObject({
      agent: 'echo',
      status: 'queued',
      metadata: { order: '17' },
      tags: ['a:b', 'c'],
      attempts: 0,
    });
    expect(response.headers).toMatchObject({
      'content-type': 'application/json',
      'retry-after': '1',
      'x-request-id': expect.any(String),
    });
    expect(response.headers['idempotent-replayed']).toBeUndefined();
    const { location = '' } = response.headers;
    expect(location).toBe(job.links.self);
    const read = await api.job(job.jobId);
    expect(new URL(location, target.apiUrl).pathname).toBe(
      new URL(`${target.apiUrl}/jobs/${read.jobId}`).pathname,
    );
    expect(await api.finalJob(job.jobId)).toMatchObject({
      status: 'succeeded',
      result: { value: 'hello' },
      metadata: { order: '17' },
      tags: ['a:b', 'c'],
    });
  });

  it('makes a job of each submit without a key', async () => {
    const [one, two] = await Promise.all([
      api.submit('echo', { value: 1 }),
      api.submit('echo', { value: 1 }),
    ]);

    expect(one).not.toBe(two);
  });

  it.each([null, 0, '', false, [], {}, [{ a: [null, 1.5, 'ü', '\u{1f600}'] }]])(
    'carries %j through unchanged',
    async (value) => {
      expect((await api.run('echo', { value })).result).toEqual({ value });
    },
  );

  it('replays the answer to the same key and payload, for either client and form of the key', async () => {
    const key = randomUUID();
    const other = new ApiClient(target);

    const first = await api.post(BODY, withKey(key));
    const quoted = await other.post(BODY, withKey(`"${key}"`));
    await api.finalJob(jobOf(first, 202).jobId);
    const later = await other.post('{"input":{"value":"hello"}, "agent":"echo"}', withKey(key));

    expect(first.headers['idempotent-replayed']).toBeUndefined();
    for (const replay of [quoted, later]) {
      expect(jobOf(replay, 202)).toEqual(jobOf(first, 202));
      expect(replay.headers).toMatchObject({
        location: first.headers.location,
        'retry-after': '1',
        'idempotent-replayed': 'true',
      });
    }
  });

  it('answers 422 to the same key with another payload', async () => {
    const key = randomUUID();
    await api.post(BODY, withKey(key));

    for (const body of [
      { ...BODY, input: { value: 'other' } },
      { ...BODY, tags: ['x'] },
      {
        ...BODY,
        agent: 'order',
        input: { customer: { name: 'a' }, lines: [{ article: 'b', count: 1 }] },
      },
    ]) {
      expect(problemOf(await api.post(body, withKey(key)))).toMatchObject({
        status: 422,
        code: 'idempotency_key_reused',
      });
    }
  });

  it('gives two tenants a job each for the same key', async () => {
    const key = randomUUID();

    const acme = jobOf(await api.post(BODY, withKey(key)), 202);
    const response = await api.post(BODY, { ...withKey(key), key: target.keys.globex });

    expect(jobOf(response, 202).jobId).not.toBe(acme.jobId);
    expect(response.headers['idempotent-replayed']).toBeUndefined();
  });

  it('makes one job of twenty submits of one key at once', async () => {
    const key = randomUUID();

    const responses = await Promise.all(
      Array.from({ length: 20 }, () => api.post(BODY, withKey(key))),
    );

    const accepted = responses.filter(({ status }) => status === 202);
    const busy = responses.filter(({ status }) => status !== 202);
    expect(accepted.length).toBeGreaterThanOrEqual(1);
    busy.forEach((response) => {
      expect(problemOf(response)).toMatchObject({ status: 409, code: 'idempotency_in_progress' });
      expect(response.headers['retry-after']).toBe('1');
    });
    const ids = new Set(accepted.map((response) => jobOf(response, 202).jobId));
    expect(ids.size).toBe(1);
    expect(
      accepted.filter(({ headers }) => headers['idempotent-replayed'] !== 'true'),
    ).toHaveLength(1);
    const [jobId = ''] = ids;
    expect((await api.finalJob(jobId)).status).toBe('succeeded');
    const steps = (await api.trace(jobId)).filter(({ type }) => type === 'step.succeeded');
    expect(steps).toHaveLength(1);
  });

  it('takes metadata and tags up to their limits', async () => {
    const metadata = Object.fromEntries(
      Array.from({ length: 16 }, (_, index) => [`key-${index}`, 'v'.repeat(8)]),
    );
    const tags = Array.from({ length: 10 }, (_, index) => `tag:${index}`);

    const job = jobOf(await api.post({ ...BODY, metadata, tags }), 202);

    expect(await api.finalJob(job.jobId)).toMatchObject({ status: 'succeeded', metadata, tags });
  });
});
