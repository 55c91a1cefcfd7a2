import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ApiClient, type ApiRequest, problemOf } from '../support/api-client.ts';
import { describeLocal, type LocalTarget, startTarget, type Target } from '../support/target.ts';

jest.setTimeout(180_000);

const MIB = 1024 * 1024;
const ORDER = { customer: { name: 'Ada' }, lines: [{ article: 'pen', count: 1 }] };

describe('bad input', () => {
  let target: Target;
  let api: ApiClient;

  beforeAll(async () => {
    target = await startTarget();
    api = new ApiClient(target);
  });

  afterAll(async () => {
    await target.stop();
  });

  describe('without a valid key', () => {
    it.each<{ name: string; request: (keys: Target['keys']) => ApiRequest }>([
      { name: 'no key', request: () => ({ key: null }) },
      { name: 'an empty header', request: () => header('') },
      { name: 'another scheme', request: (keys) => header(`Basic ${keys.acme}`) },
      { name: 'a key that is none', request: () => ({ key: 'lh_short' }) },
      { name: 'an unknown key', request: () => ({ key: `lh_${'x'.repeat(43)}` }) },
      { name: 'a key with something behind it', request: (keys) => ({ key: `${keys.acme}x` }) },
    ])('answers 401 to $name, whatever is asked', async ({ request }) => {
      for (const path of ['/jobs/job_1', '/jobs/job_1/trace']) {
        const response = await api.send(path, request(target.keys));

        expect(problemOf(response)).toMatchObject({ status: 401, code: 'unauthorized' });
      }
      expect(problemOf(await api.post('{', request(target.keys)))).toMatchObject({ status: 401 });
    });

    it('answers 401 to a revoked key', async () => {
      const { revoked } = target.keys;
      if (revoked === undefined) return;

      expect(problemOf(await api.send('/jobs/job_1', { key: revoked }))).toMatchObject({
        status: 401,
        code: 'unauthorized',
      });
    });
  });

  it('answers 403 to a key whose scope does not suffice, before it looks at the body', async () => {
    const { readonly: reader } = target.keys;
    if (reader === undefined) return;

    const problem = problemOf(await api.post('{', { key: reader }));

    expect(problem).toMatchObject({ status: 403, code: 'insufficient_scope' });
    expect(problem.detail).toContain('jobs:write');
    expect((await api.send(`/jobs/job_1`, { key: reader })).status).toBe(404);
  });

  it.each([
    { name: 'half an object', body: '{"agent":' },
    { name: 'text', body: 'agent=echo' },
    { name: 'nothing', body: '' },
    { name: 'white space', body: ' \n' },
  ])('answers 400 to a body that is $name', async ({ body }) => {
    expect(problemOf(await api.post(body))).toMatchObject({ status: 400, code: 'malformed_json' });
  });

  it.each([
    { name: 'an array', body: [], pointers: [''] },
    { name: 'null', body: 'null', pointers: [''] },
    { name: 'a number', body: '42', pointers: [''] },
    { name: 'an empty object', body: {}, pointers: ['/agent', '/input'] },
    { name: 'an agent that is no text', body: { agent: 7, input: {} }, pointers: ['/agent'] },
    {
      name: 'an unknown field',
      body: { agent: 'order', input: ORDER, inputs: 1 },
      pointers: ['/inputs'],
    },
    {
      name: 'metadata that is no text',
      body: { agent: 'order', input: ORDER, metadata: { a: 1, b: 'x'.repeat(257) } },
      pointers: ['/metadata/a', '/metadata/b'],
    },
    {
      name: 'metadata with half a surrogate pair',
      body: '{"agent":"order","input":1,"metadata":{"a":"\\ud800","\\udfff":"b"}}',
      pointers: ['/metadata/a', '/metadata/\udfff'],
    },
    {
      name: 'a number no double can hold, under a name of two million characters',
      body: `{"agent":"echo","input":{"${'\\"'.repeat(1_000_000)}":1e999}}`,
      pointers: [`/input/${'"'.repeat(1_017)}…`],
    },
    {
      name: 'eleven tags',
      body: { agent: 'order', input: ORDER, tags: 'abcdefghijk'.split('') },
      pointers: ['/tags'],
    },
    {
      name: 'a tag with a slash',
      body: { agent: 'order', input: ORDER, tags: ['a/b'] },
      pointers: ['/tags/0'],
    },
    {
      name: 'a number no double can hold',
      body: '{"agent":"echo","input":{"value":1e999}}',
      pointers: ['/input/value'],
    },
  ])('answers 400 with a pointer per fault to $name', async ({ body, pointers }) => {
    const problem = problemOf(await api.post(body));

    expect(problem).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(pointers);
  });

  it('answers 422 to an unknown agent and lists the known ones', async () => {
    const problem = problemOf(await api.post({ agent: 'nobody', input: {} }));

    expect(problem).toMatchObject({ status: 422, code: 'unknown_agent' });
    expect(problem.knownAgents).toEqual(expect.arrayContaining(['echo', 'five-steps', 'order']));
    expect(problem.detail).toContain('echo');
  });

  it("answers 422 with a pointer per fault to an input that the agent's schema refuses", async () => {
    const input = {
      customer: { name: '', 'e/mail': 'none' },
      lines: [{ article: 'pen', count: 1 }, { article: 'ink', count: -1 }, { count: 1.5 }],
    };

    const problem = problemOf(await api.post({ agent: 'order', input }));

    expect(problem).toMatchObject({ status: 422, code: 'invalid_input' });
    expect(problem.errors?.map(({ pointer }) => pointer).sort()).toEqual([
      '/input/customer/e~1mail',
      '/input/customer/name',
      '/input/lines/1/count',
      '/input/lines/2/article',
      '/input/lines/2/count',
    ]);
  });

  it.each([
    { name: 'empty', value: '' },
    { name: 'empty in quotes', value: '""' },
    { name: 'longer than 255 characters', value: 'k'.repeat(256) },
    { name: 'not ASCII', value: 'schl\u00fcssel' },
    { name: 'half quoted', value: '"order-17' },
    { name: 'sent twice', value: ['order-17', 'order-18'] },
    { name: 'sent twice in quotes', value: ['"order-17"', '"order-17"'] },
  ])('answers 400 to an idempotency key that is $name', async ({ value }) => {
    const response = await api.post(
      { agent: 'order', input: ORDER },
      { headers: { 'idempotency-key': value } },
    );

    expect(problemOf(response)).toMatchObject({ status: 400, code: 'invalid_idempotency_key' });
  });

  it('answers 413 to a body over 2 MiB, with the limit', async () => {
    const body = { agent: 'echo', input: { value: 'x'.repeat(2 * MIB) } };

    expect(problemOf(await api.post(body))).toMatchObject({
      status: 413,
      code: 'payload_too_large',
      limit: { maximum: 2 * MIB, unit: 'bytes' },
    });
  });

  it.each(['/', '/nothing', '/jobs/a/b/c', '/jobs/job_1/nothing'])(
    'answers 404 to the unknown route %s',
    async (path) => {
      expect(problemOf(await api.send(path))).toMatchObject({ status: 404, code: 'not_found' });
    },
  );

  it.each([
    { method: 'PUT', path: '/jobs', allow: 'POST, GET' },
    { method: 'DELETE', path: '/jobs/job_1', allow: 'GET' },
    { method: 'PATCH', path: '/jobs/job_1/trace', allow: 'GET' },
    { method: 'POST', path: '/healthz', allow: 'GET' },
  ])('answers 405 to $method $path and says what is allowed', async ({ method, path, allow }) => {
    const response = await api.send(path, { method, body: '{}' });

    expect(problemOf(response)).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(response.headers.allow).toBe(allow);
  });

  describeLocal('logs', 'the logs of a deployment are elsewhere', () => {
    it('hold the request id of a refusal and nothing of the key or the body', async () => {
      const local = target as LocalTarget;
      const problem = problemOf(await api.post('{"agent":"confidential"', {}));
      const refused = problemOf(await api.send('/jobs/job_1', { key: `${local.keys.globex}x` }));

      const log = await local.functionLog();

      expect(log).toContain(problem.requestId);
      expect(log).toContain(refused.requestId);
      expect(log).not.toContain('confidential');
      for (const key of Object.values<string>({ ...local.keys }))
        expect(log).not.toContain(key.slice(8));
    });

    it.each<{ name: string; request: (keys: Target['keys']) => ApiRequest; status: number }>([
      { name: 'without a key', request: () => ({ key: null }), status: 401 },
      { name: 'with an empty header', request: () => header(''), status: 401 },
      {
        name: 'too large for API Gateway',
        request: () => ({ method: 'POST', body: 'x'.repeat(10 * MIB + 1) }),
        status: 413,
      },
    ])('hold the id of a request $name, which reaches no function', async ({ request, status }) => {
      const response = await api.send('/jobs', { method: 'POST', ...request(target.keys) });
      const { requestId, ...problem } = problemOf(response);
      expect(problem.status).toBe(status);
      expect(response.headers['x-request-id']).toBe(requestId);

      expect(await accessEntry(target as LocalTarget, requestId)).toMatchObject({
        requestId,
        status: String(status),
        path: '/v1/jobs',
        tenantId: '-',
      });
    });
  });
});

/** The line of the API's access log about a request, which may take a moment to reach the file. */
async function accessEntry(target: LocalTarget, requestId: string): Promise<unknown> {
  for (let tries = 0; tries < 100; tries++) {
    const lines = (await target.functionLog()).split('\n');
    const line = lines.find((text) => text.includes(requestId) && / access \{/.test(text));
    if (line !== undefined) return JSON.parse(line.slice(line.indexOf('{')));
    await delay(50);
  }
  throw new Error(`no line of the access log has ${requestId}`);
}

function header(authorization: string): ApiRequest {
  return { key: null, headers: { authorization } };
}
