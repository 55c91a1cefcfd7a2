import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aFunction, anApi, anAuthorizer } from './support/fixture-app.ts';
import { startFixture, type FixtureCloud } from './support/fixture-cloud.ts';
import { waitFor } from './support/wait-for.ts';

const FORMAT = JSON.stringify({
  requestId: '$context.requestId',
  ip: '$context.identity.sourceIp',
  requestTime: '$context.requestTime',
  httpMethod: '$context.httpMethod',
  resourcePath: '$context.resourcePath',
  path: '$context.path',
  status: '$context.status',
  responseLength: '$context.responseLength',
  responseLatency: '$context.responseLatency',
  integrationLatency: '$context.integrationLatency',
  principal: '$context.authorizer.principalId',
  team: '$context.authorizer.team',
  error: '$context.error.responseType',
});

let cloud: FixtureCloud;

beforeAll(async () => {
  cloud = await startFixture({
    Resources: {
      Echo: aFunction('echo'),
      Stream: aFunction('stream'),
      Misbehave: aFunction('misbehave'),
      Token: aFunction('authorizer'),
      TokenAuthorizer: anAuthorizer('Token', {
        Type: 'TOKEN',
        IdentitySource: 'method.request.header.Authorization',
      }),
      ...anApi(
        [
          { method: 'GET', path: '/jobs/{jobId}', function: 'Echo', authorizer: 'TokenAuthorizer' },
          { method: 'GET', path: '/misbehave', function: 'Misbehave' },
          { method: 'GET', path: '/events', function: 'Stream', streams: true },
        ],
        { AccessLogSetting: { DestinationArn: 'arn:aws:logs:::log-group:x', Format: FORMAT } },
      ),
    },
  });
});

afterAll(async () => {
  await cloud.stop();
});

/** Sends a request and finds its line of the access log. */
async function logged(path: string, init?: RequestInit) {
  const response = await fetch(`${cloud.apiUrl}${path}`, init);
  const body = await response.text();
  const requestId = response.headers.get('x-amzn-requestid') ?? 'none';
  const [line = ''] = await waitFor('the line', async () => {
    const lines = await linesOf(requestId);
    return lines.length > 0 && lines;
  });
  return { response, body, line, entry: JSON.parse(line) as Record<string, string> };
}

async function linesOf(requestId: string): Promise<string[]> {
  const log = await readFile(join(cloud.stateDirectory, 'functions.log'), 'utf8');
  return log
    .split('\n')
    .filter((line) => line.startsWith('Fixture-Api access ') && line.includes(requestId))
    .map((line) => line.replace('Fixture-Api access ', ''));
}

const number = expect.stringMatching(/^\d+$/) as unknown;

describe('the access log of a stage', () => {
  it('has a line for a request, with what the authorizer said', async () => {
    const { response, body, entry } = await logged('/jobs/17?secret=hidden', {
      headers: { authorization: 'allow' },
    });

    expect(entry).toEqual({
      requestId: response.headers.get('x-amzn-requestid'),
      ip: '127.0.0.1',
      requestTime: expect.stringMatching(/^\d\d?\/\w{3}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
      httpMethod: 'GET',
      resourcePath: '/jobs/{jobId}',
      path: '/v1/jobs/17',
      status: '200',
      responseLength: String(Buffer.byteLength(body)),
      responseLatency: number,
      integrationLatency: number,
      principal: 'someone',
      team: '-',
      error: '-',
    });
  });

  it.each([
    {
      name: 'that lacks a key',
      path: '/jobs/17',
      expected: { status: '401', error: 'UNAUTHORIZED', resourcePath: '/jobs/{jobId}' },
    },
    {
      name: 'for no route',
      path: '/nothing',
      expected: { status: '403', error: 'MISSING_AUTHENTICATION_TOKEN', resourcePath: '-' },
    },
    {
      name: 'that is too large',
      path: '/misbehave',
      init: { method: 'POST', body: 'x'.repeat(10 * 1024 * 1024 + 1) },
      expected: { status: '413', error: 'REQUEST_TOO_LARGE', httpMethod: 'POST' },
    },
  ])('has a line for a request $name, which reaches no function', async (row) => {
    const { entry } = await logged(row.path, row.init);

    expect(entry).toMatchObject({ ...row.expected, principal: '-', integrationLatency: '-' });
  });

  it('has a line for a request whose function fails', async () => {
    const { entry } = await logged('/misbehave?mode=throw');

    expect(entry).toMatchObject({
      status: '502',
      error: 'DEFAULT_5XX',
      integrationLatency: number,
    });
  });

  it('has one line for a streamed response, with its status and length', async () => {
    const { response, entry } = await logged('/events?without=body');

    expect(entry).toMatchObject({ status: '201', responseLength: '0', error: '-' });
    await expect(linesOf(response.headers.get('x-amzn-requestid') ?? '')).resolves.toHaveLength(1);
  });

  it('is not kept by a stage that wants none', async () => {
    const silent = await startFixture({
      Resources: {
        Echo: aFunction('echo'),
        ...anApi([{ method: 'GET', path: '/echo', function: 'Echo' }]),
      },
    });
    await fetch(`${silent.apiUrl}/nothing`);
    await silent.control('GET', '/functions');
    const log = await readFile(join(silent.stateDirectory, 'functions.log'), 'utf8');
    await silent.stop();

    expect(log).not.toContain(' access ');
  });
});
