import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anApi, anAuthorizer, aFunction } from './support/fixture-app.ts';
import { startFixture, type FixtureCloud } from './support/fixture-cloud.ts';

let cloud: FixtureCloud;

beforeAll(async () => {
  cloud = await startFixture({
    Resources: {
      Echo: aFunction('echo'),
      Request: aFunction('authorizer'),
      Token: aFunction('authorizer'),
      Uncached: aFunction('authorizer'),
      RequestAuthorizer: anAuthorizer('Request', {
        Type: 'REQUEST',
        IdentitySource: 'method.request.header.Authorization, method.request.querystring.tenant',
      }),
      TokenAuthorizer: anAuthorizer('Token', {
        Type: 'TOKEN',
        IdentitySource: 'method.request.header.Authorization',
        IdentityValidationExpression: '^[a-z-]+$',
      }),
      UncachedAuthorizer: anAuthorizer('Uncached', {
        Type: 'TOKEN',
        IdentitySource: 'method.request.header.Authorization',
        AuthorizerResultTtlInSeconds: 0,
      }),
      ...anApi([
        { method: 'ANY', path: '/token', function: 'Echo', authorizer: 'TokenAuthorizer' },
        { method: 'GET', path: '/request', function: 'Echo', authorizer: 'RequestAuthorizer' },
        { method: 'GET', path: '/uncached', function: 'Echo', authorizer: 'UncachedAuthorizer' },
        { method: 'GET', path: '/open', function: 'Echo' },
      ]),
    },
  });
});

afterAll(async () => {
  await cloud.stop();
});

const call = (path: string, authorization?: string, method = 'GET') =>
  fetch(`${cloud.apiUrl}${path}`, {
    method,
    ...(authorization !== undefined && { headers: { authorization } }),
  });

async function authorizerContext(response: Response): Promise<Record<string, unknown>> {
  const { event } = (await response.json()) as {
    event: { requestContext: { authorizer: Record<string, unknown> } };
  };
  return event.requestContext.authorizer;
}

describe('a Lambda authorizer', () => {
  it('lets an open route alone', async () => {
    expect((await call('/open')).status).toBe(200);
  });

  it('gives its context to the function, every value as text', async () => {
    const response = await call('/token', 'allow');

    expect(response.status).toBe(200);
    await expect(authorizerContext(response)).resolves.toEqual({
      principalId: 'someone',
      integrationLatency: expect.any(Number),
      tenantId: 'acme',
      isAdmin: 'true',
      calls: expect.stringMatching(/^\d+$/),
    });
  });

  it.each([
    { name: 'no token', token: undefined, status: 401, message: 'Unauthorized' },
    { name: 'a token of the wrong form', token: 'ALLOW', status: 401, message: 'Unauthorized' },
    { name: 'a token the function refuses', token: 'wrong', status: 401, message: 'Unauthorized' },
    {
      name: 'a policy that denies',
      token: 'deny',
      status: 403,
      message: 'User is not authorized to access this resource',
    },
    {
      name: 'a policy that allows something else',
      token: 'nothing',
      status: 403,
      message: 'User is not authorized to access this resource',
    },
    { name: 'a function that fails', token: 'broken', status: 500, message: null },
    { name: 'an answer without a policy', token: 'no-policy', status: 500, message: null },
    { name: 'a context that is no text', token: 'object-context', status: 500, message: null },
  ])('answers $status to $name', async ({ token, status, message }) => {
    const response = await call('/token', token);

    expect(response.status).toBe(status);
    await expect(response.json()).resolves.toEqual({ message });
  });

  it('is asked once per identity while its answer is cached', async () => {
    const first = await authorizerContext(await call('/request?tenant=a', 'allow'));
    const again = await authorizerContext(await call('/request?tenant=a', 'allow'));
    const other = await authorizerContext(await call('/request?tenant=b', 'allow'));

    expect(again['calls']).toBe(first['calls']);
    expect(Number(other['calls'])).toBe(Number(first['calls']) + 1);
  });

  it('is asked every time when nothing is cached', async () => {
    const first = await authorizerContext(await call('/uncached', 'allow'));
    const again = await authorizerContext(await call('/uncached', 'allow'));

    expect(Number(again['calls'])).toBe(Number(first['calls']) + 1);
  });

  it('is not asked when an identity source is missing', async () => {
    expect((await call('/request', 'allow')).status).toBe(401);
    expect((await call('/request?tenant=a')).status).toBe(401);
  });

  it('has its cached policy evaluated for each method', async () => {
    expect((await call('/token', 'get-only')).status).toBe(200);
    expect((await call('/token', 'get-only', 'POST')).status).toBe(403);
  });

  it('refuses another method with a policy cached for the first, as AWS does', async () => {
    expect((await call('/token', 'this-method')).status).toBe(200);
    expect((await call('/token', 'this-method', 'POST')).status).toBe(403);
  });
});
