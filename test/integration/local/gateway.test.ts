import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anApi, aFunction, type FixtureResource } from './support/fixture-app.ts';
import { startFixture, type FixtureCloud } from './support/fixture-cloud.ts';

const gatewayResponse = (
  ResponseType: string,
  properties: Readonly<Record<string, unknown>>,
): FixtureResource => ({
  Type: 'AWS::ApiGateway::GatewayResponse',
  Properties: { RestApiId: { Ref: 'Api' }, ResponseType, ...properties },
});

const PROBLEM =
  '{"title":$context.error.messageString,"code":"$context.error.responseType","requestId":"$context.requestId"}';

let cloud: FixtureCloud;

beforeAll(async () => {
  cloud = await startFixture({
    Resources: {
      Echo: aFunction('echo'),
      Misbehave: aFunction('misbehave'),
      Throttled: aFunction('misbehave', { ReservedConcurrentExecutions: 0 }),
      NotFound: gatewayResponse('MISSING_AUTHENTICATION_TOKEN', {
        StatusCode: '404',
        ResponseTemplates: { 'application/problem+json': PROBLEM },
        ResponseParameters: {
          'gatewayresponse.header.Cache-Control': "'no-store'",
          'gatewayresponse.header.X-Request-Id': 'context.requestId',
        },
      }),
      Default5xx: gatewayResponse('DEFAULT_5XX', {
        ResponseTemplates: { 'application/problem+json': PROBLEM },
      }),
      ...anApi([
        { method: 'GET', path: '/jobs/{jobId}', function: 'Echo' },
        { method: 'POST', path: '/jobs', function: 'Echo' },
        { method: 'ANY', path: '/misbehave', function: 'Misbehave', timeoutMs: 500 },
        { method: 'GET', path: '/throttled', function: 'Throttled' },
      ]),
    },
  });
});

afterAll(async () => {
  await cloud.stop();
});

const call = (path: string, init?: RequestInit) => fetch(`${cloud.apiUrl}${path}`, init);

interface Echoed {
  readonly event: Readonly<Record<string, unknown>> & {
    readonly headers: Readonly<Record<string, string>>;
    readonly requestContext: Readonly<Record<string, unknown>>;
  };
  readonly context: Readonly<Record<string, unknown>>;
}

describe('the gateway', () => {
  it('gives the function the event of a proxy integration', async () => {
    const response = await call('/jobs/a%20b?tag=x&tag=y%26z&empty=', {
      headers: { 'X-Twice': 'one', Authorization: 'Bearer k' },
    });

    const { event } = (await response.json()) as Echoed;
    const { host } = new URL(cloud.apiUrl);
    expect(event).toEqual({
      resource: '/jobs/{jobId}',
      path: '/jobs/a%20b',
      httpMethod: 'GET',
      headers: expect.objectContaining({
        Authorization: 'Bearer k',
        host,
        'X-Twice': 'one',
        'X-Forwarded-For': '127.0.0.1',
        'X-Amzn-Trace-Id': response.headers.get('x-amzn-trace-id'),
      }),
      multiValueHeaders: expect.objectContaining({ 'X-Twice': ['one'] }),
      queryStringParameters: { tag: 'y&z', empty: '' },
      multiValueQueryStringParameters: { tag: ['x', 'y&z'], empty: [''] },
      pathParameters: { jobId: 'a b' },
      stageVariables: null,
      requestContext: expect.objectContaining({
        requestId: response.headers.get('x-amzn-requestid'),
        stage: 'v1',
        path: '/v1/jobs/a%20b',
        resourcePath: '/jobs/{jobId}',
        httpMethod: 'GET',
        accountId: '000000000000',
        protocol: 'HTTP/1.1',
        requestTime: expect.stringMatching(/^\d\d?\/\w{3}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
        identity: expect.objectContaining({ sourceIp: '127.0.0.1', userAgent: 'node' }),
      }),
      body: null,
      isBase64Encoded: false,
    });
    expect(event.requestContext).not.toHaveProperty('authorizer');
  });

  it('hands bodies on as text', async () => {
    const response = await call('/jobs', { method: 'POST', body: '{"ü":1}' });

    const { event } = (await response.json()) as Echoed;
    expect(event).toMatchObject({
      body: '{"ü":1}',
      isBase64Encoded: false,
      pathParameters: null,
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
    });
  });

  it('passes status, headers and cookies on, and renames those API Gateway keeps for itself', async () => {
    const response = await call('/jobs/1');

    expect(response.status).toBe(200);
    expect(response.headers.get('x-fixture')).toBe('echo');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(response.headers.get('x-amzn-remapped-date')).toBe('never');
  });

  it('decodes a body in base 64', async () => {
    const response = await call('/misbehave?mode=answer-base64');

    expect(response.status).toBe(201);
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([0, 255, 1]);
  });

  it.each([
    { name: 'an unknown path', method: 'GET', path: '/nothing' },
    { name: 'the root', method: 'GET', path: '' },
    { name: 'a method the resource does not have', method: 'DELETE', path: '/jobs' },
  ])('answers $name with the response of the template', async ({ method, path }) => {
    const response = await call(path, { method });

    const requestId = response.headers.get('x-amzn-requestid');
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-request-id')).toBe(requestId);
    expect(response.headers.get('x-amzn-errortype')).toBe('MissingAuthenticationTokenException');
    await expect(response.json()).resolves.toEqual({
      title: 'Missing Authentication Token',
      code: 'MISSING_AUTHENTICATION_TOKEN',
      requestId,
    });
  });

  it('knows only the stage of the template', async () => {
    const response = await fetch(cloud.apiUrl.replace('/v1', '/v2/jobs'));

    expect(response.status).toBe(403);
    await expect(response.json()).resolves.toEqual({ message: 'Forbidden' });
  });

  it.each([
    'throw',
    'exit',
    'answer-text',
    'answer-nothing',
    'answer-without-status',
    'answer-object-body',
  ])('answers 502 when the function does %s', async (mode) => {
    const response = await call(`/misbehave?mode=${mode}`);

    expect(response.status).toBe(502);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    await expect(response.json()).resolves.toMatchObject({ title: 'Internal server error' });
  });

  it('answers 504 when the function takes longer than the integration may', async () => {
    const response = await call('/misbehave?mode=hang');

    expect(response.status).toBe(504);
    await expect(response.json()).resolves.toMatchObject({
      title: 'Endpoint request timed out',
      code: 'INTEGRATION_TIMEOUT',
    });
  });

  it('answers 500 when the function is throttled', async () => {
    const response = await call('/throttled');

    expect(response.status).toBe(500);
  });

  it.each([
    { name: 'above what API Gateway takes', sizeBytes: 10 * 1024 * 1024 + 1 },
    { name: 'above what Lambda takes', sizeBytes: 6 * 1024 * 1024 },
  ])(
    'answers 413 to a body $name, in the words of AWS where the template has none',
    async ({ sizeBytes }) => {
      const response = await call('/jobs', { method: 'POST', body: 'x'.repeat(sizeBytes) });

      expect(response.status).toBe(413);
      expect(response.headers.get('content-type')).toBe('application/json');
      await expect(response.json()).resolves.toEqual({ message: 'Request Too Long' });
    },
  );

  it('takes a body just below the limit', async () => {
    const response = await call('/misbehave', { method: 'POST', body: 'x'.repeat(5_500_000) });

    expect(response.status).toBe(200);
  });
});

describe('a stage with limits of its own', () => {
  it('answers 429 above them', async () => {
    const limited = await startFixture({
      Resources: {
        Echo: aFunction('echo'),
        ...anApi([{ method: 'GET', path: '/echo', function: 'Echo' }], {
          MethodSettings: [
            {
              HttpMethod: '*',
              ResourcePath: '/*',
              ThrottlingBurstLimit: 1,
              ThrottlingRateLimit: 0.001,
            },
          ],
        }),
      },
    });

    const first = await fetch(`${limited.apiUrl}/echo`);
    const second = await fetch(`${limited.apiUrl}/echo`);
    await limited.stop();

    expect(first.status).toBe(200);
    expect(second.status).toBe(429);
    expect(second.headers.get('x-amzn-errortype')).toBe('TooManyRequestsException');
  });
});
