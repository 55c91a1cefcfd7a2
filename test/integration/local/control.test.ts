import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { anApi, aFunction } from './support/fixture-app.ts';
import { startFixture, type FixtureCloud } from './support/fixture-cloud.ts';
import { Reports } from './support/reports.ts';
import { waitFor } from './support/wait-for.ts';

let cloud: FixtureCloud;
let reports: Reports;

beforeAll(async () => {
  reports = await Reports.listen();
  cloud = await startFixture({
    Resources: {
      Jobs: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 1 } },
      LonghaulCaller12AB: {
        ...aFunction('caller'),
        Metadata: { 'aws:cdk:path': 'Fixture/Longhaul/Caller/Resource' },
      },
      LonghaulWorkerFunction34CD: {
        ...aFunction('worker', { Environment: { Variables: { REPORT_URL: reports.url } } }),
        Metadata: { 'aws:cdk:path': 'Fixture/Longhaul/Worker/Function/Resource' },
      },
      Mapping: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: {
          EventSourceArn: { 'Fn::GetAtt': ['Jobs', 'Arn'] },
          FunctionName: { Ref: 'LonghaulWorkerFunction34CD' },
        },
      },
      ...anApi([{ method: 'GET', path: '/call', function: 'LonghaulCaller12AB' }]),
    },
  });
});

beforeEach(async () => {
  await cloud.control('DELETE', '/calls');
  await cloud.control('DELETE', '/refusals');
});

afterAll(async () => {
  await cloud.stop();
  await reports.close();
});

const call = () => fetch(`${cloud.apiUrl}/call`);

async function calls(): Promise<string[]> {
  const answer = await cloud.control('GET', '/calls?function=caller');
  return (answer['calls'] as Record<string, unknown>[]).map(
    ({ number, operation, service }) => `${String(number)} ${String(service)} ${String(operation)}`,
  );
}

const ALL_CALLS = ['1 dynamodb ListTables', '2 sqs ListQueues', '3 s3 GET /bucket/key'];

describe('the control routes', () => {
  it('count the calls of a function to the emulators until they are reset', async () => {
    await call();

    await expect(calls()).resolves.toEqual(ALL_CALLS);
    await expect(cloud.control('GET', '/calls?function=caller')).resolves.toMatchObject({
      function: 'LonghaulCaller12AB',
      counts: { 'dynamodb:ListTables': 1, 'sqs:ListQueues': 1, 's3:GET': 1 },
    });
    await cloud.control('DELETE', '/calls?function=caller');
    await expect(calls()).resolves.toEqual([]);
  });

  it.each([
    { number: 1, when: 'before' },
    { number: 1, when: 'after' },
    { number: 2, when: 'before' },
    { number: 3, when: 'after' },
  ])('let an environment die $when call $number, once', async ({ number, when }) => {
    await cloud.control('POST', '/crash-points', { function: 'caller', call: number, when });

    expect((await call()).status).toBe(502);

    await expect(calls()).resolves.toEqual(ALL_CALLS.slice(0, number));
    expect((await call()).status).toBe(200);
  });

  it('show environments with what they do, and crash them', async () => {
    const gate = Promise.withResolvers<object>();
    reports.decide = () => (reports.received.length === 1 ? gate.promise : {});
    const sqs = new SQSClient({
      region: 'us-east-1',
      endpoint: cloud.endpoints.sqs,
      credentials: { accessKeyId: 'x', secretAccessKey: 'y' },
    });
    await sqs.send(
      new SendMessageCommand({ QueueUrl: cloud.queueUrls['Jobs'], MessageBody: 'job 1' }),
    );
    sqs.destroy();
    const [report] = await waitFor(
      'the report',
      () => reports.received.length > 0 && reports.received,
    );

    const { environments } = await cloud.control('GET', '/environments');
    const busy = (environments as Record<string, unknown>[]).find(({ state }) => state === 'busy');
    expect(busy).toEqual({
      id: expect.any(String),
      function: 'LonghaulWorkerFunction34CD',
      name: 'worker',
      pid: expect.any(Number),
      state: 'busy',
      startedAt: expect.any(String),
      requestId: report?.requestId,
      messages: ['job 1'],
    });

    const id = String(busy?.['id']);
    await expect(cloud.control('POST', `/environments/${id}/crash`)).resolves.toEqual({
      crashed: [id],
    });
    await waitFor('the message again', () => reports.bodies.length === 2);
    gate.resolve({});
  });

  it('crash all environments of a function', async () => {
    await call();

    const { crashed } = await cloud.control('POST', '/environments/crash', { function: 'caller' });

    expect(crashed).toHaveLength(1);
    const { environments } = await cloud.control('GET', '/environments');
    expect(JSON.stringify(environments)).not.toContain('Caller');
  });

  it('have calls of a service refused in its own words, so many times', async () => {
    const refusal = { function: 'caller', service: 'dynamodb', times: 1 };
    await cloud.control('POST', '/refusals', { ...refusal, operation: 'GetItem', times: 5 });
    await expect(cloud.control('POST', '/refusals', refusal)).resolves.toEqual({
      ...refusal,
      function: 'LonghaulCaller12AB',
    });
    await cloud.control('POST', '/refusals', { ...refusal, service: 'sqs', times: 2 });
    await cloud.control('POST', '/refusals', { ...refusal, service: 's3' });

    await expect((await call()).json()).resolves.toEqual([400, 403, 503]);
    await expect((await call()).json()).resolves.toEqual([404, 403, 404]);
    await expect((await call()).json()).resolves.toEqual([404, 400, 404]);
    await expect(calls()).resolves.toHaveLength(9);
  });

  it('end refusals', async () => {
    await cloud.control('POST', '/refusals', { function: 'caller', service: 'sqs', times: 100 });
    await expect((await call()).json()).resolves.toEqual([404, 403, 404]);

    await cloud.control('DELETE', '/refusals');

    await expect((await call()).json()).resolves.toEqual([404, 400, 404]);
  });

  it('take a function its concurrency, give it back, and count what was measured', async () => {
    await cloud.control('DELETE', '/metrics');
    await cloud.control('POST', '/functions/concurrency', { function: 'caller', reserved: 0 });
    expect((await call()).status).toBe(500);
    await cloud.control('POST', '/functions/concurrency', { function: 'caller', reserved: null });
    expect((await call()).status).toBe(200);

    const { metrics } = await cloud.control('GET', '/metrics?namespace=AWS/Lambda');
    const { metrics: ofApi } = await cloud.control('GET', '/metrics?name=5XXError');

    expect(metrics).toContainEqual(
      expect.objectContaining({
        name: 'Throttles',
        dimensions: { FunctionName: expect.stringContaining('Caller') },
        sum: 1,
      }),
    );
    expect(metrics).toContainEqual(expect.objectContaining({ name: 'Invocations', sum: 1 }));
    expect(ofApi).toMatchObject([
      { sum: 1, count: 2 },
      { sum: 1, count: 2 },
    ]);
    await expect(cloud.control('GET', '/alarms')).resolves.toEqual({ alarms: [] });
  });

  it.each([
    { name: 'an unknown route', method: 'GET', path: '/nothing', status: 404 },
    { name: 'an unknown function', method: 'GET', path: '/calls?function=nobody', status: 404 },
    { name: 'an ambiguous one', method: 'GET', path: '/calls?function=longhaul', status: 400 },
    { name: 'an unknown environment', method: 'POST', path: '/environments/x/crash', status: 404 },
    {
      name: 'an unknown queue',
      method: 'POST',
      path: '/event-sources/pause',
      body: '{"queue":"nobody"}',
      status: 404,
    },
    {
      name: 'a crash point without a call',
      method: 'POST',
      path: '/crash-points',
      body: '{"function":"caller","when":"before"}',
      status: 400,
    },
    {
      name: 'a refusal of an unknown service',
      method: 'POST',
      path: '/refusals',
      body: '{"function":"caller","service":"ses","times":1}',
      status: 400,
    },
    {
      name: 'a refusal of no times',
      method: 'POST',
      path: '/refusals',
      body: '{"function":"caller","service":"sqs","times":0}',
      status: 400,
    },
    {
      name: 'a concurrency below nothing',
      method: 'POST',
      path: '/functions/concurrency',
      body: '{"function":"caller","reserved":-1}',
      status: 400,
    },
    {
      name: 'a body that is no JSON',
      method: 'POST',
      path: '/environments/crash',
      body: '{',
      status: 400,
    },
  ])('refuse $name', async ({ method, path, body, status }) => {
    const response = await fetch(`${cloud.controlUrl}${path}`, {
      method,
      ...(body !== undefined && { body }),
    });

    expect(response.status).toBe(status);
    await expect(response.json()).resolves.toEqual({ message: expect.any(String) });
  });

  it('are those that the docs list', async () => {
    const { message } = await cloud.control('GET', '/nothing');
    const known = String(message)
      .replace(/^.*known: /, '')
      .split(', ');
    const page = readFileSync('docs/local-cloud.md', 'utf8');

    const listed = page.match(/`(?:GET|POST|DELETE) \/[^`]*`/g)?.map((text) => text.slice(1, -1));
    expect(listed?.filter((route) => !route.includes('_local')).sort()).toEqual(known.sort());
  });

  it('refuse a web page', async () => {
    const response = await fetch(`${cloud.controlUrl}/environments`, {
      headers: { origin: 'https://example.com' },
    });

    expect(response.status).toBe(403);
  });
});
