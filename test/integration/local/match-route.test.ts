import { describe, expect, it } from '@jest/globals';
import type { ApiRoute } from '../../../local/gateway/api-model.ts';
import { matchRoute } from '../../../local/gateway/match-route.ts';

const route = (method: string, path: string): ApiRoute => ({
  resourceId: path,
  path,
  method,
  functionName: 'f',
  streams: false,
  timeoutMs: 29_000,
  authorizer: undefined,
});

const routes = [
  route('ANY', '/'),
  route('ANY', '/{proxy+}'),
  route('POST', '/jobs'),
  route('GET', '/jobs/{jobId}'),
  route('GET', '/jobs/latest'),
  route('POST', '/jobs/{jobId}/signals/{name}'),
  route('GET', '/files/{path+}'),
  route('ANY', '/both'),
  route('GET', '/both'),
];

const matched = (method: string, path: string) => {
  const match = matchRoute(routes, method, path);
  return match && [`${match.route.method} ${match.route.path}`, match.pathParameters];
};

describe('route matching', () => {
  it.each([
    { name: 'the root', request: ['GET', '/'], expected: ['ANY /', null] },
    { name: 'a literal', request: ['POST', '/jobs'], expected: ['POST /jobs', null] },
    {
      name: 'a variable, decoded',
      request: ['GET', '/jobs/a%20b%2Fc'],
      expected: ['GET /jobs/{jobId}', { jobId: 'a b/c' }],
    },
    {
      name: 'a literal before a variable',
      request: ['GET', '/jobs/latest'],
      expected: ['GET /jobs/latest', null],
    },
    {
      name: 'two variables',
      request: ['POST', '/jobs/1/signals/go'],
      expected: ['POST /jobs/{jobId}/signals/{name}', { jobId: '1', name: 'go' }],
    },
    {
      name: 'a greedy variable',
      request: ['GET', '/files/a/b'],
      expected: ['GET /files/{path+}', { path: 'a/b' }],
    },
    {
      name: 'the catch-all for an unknown path',
      request: ['GET', '/nothing/here'],
      expected: ['ANY /{proxy+}', { proxy: 'nothing/here' }],
    },
    {
      name: 'the catch-all for a method the resource does not have',
      request: ['DELETE', '/jobs'],
      expected: ['ANY /{proxy+}', { proxy: 'jobs' }],
    },
    { name: 'a method before ANY', request: ['GET', '/both'], expected: ['GET /both', null] },
    { name: 'ANY for the others', request: ['PUT', '/both'], expected: ['ANY /both', null] },
    { name: 'a trailing slash', request: ['POST', '/jobs/'], expected: ['POST /jobs', null] },
    {
      name: 'a segment that cannot be decoded',
      request: ['GET', '/jobs/%zz'],
      expected: ['GET /jobs/{jobId}', { jobId: '%zz' }],
    },
  ])('finds $name', ({ request: [method = '', path = ''], expected }) => {
    expect(matched(method, path)).toEqual(expected);
  });

  it('finds nothing when there is no catch-all', () => {
    expect(matchRoute([route('GET', '/jobs')], 'GET', '/job')).toBeUndefined();
  });
});
