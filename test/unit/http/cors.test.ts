import { describe, expect, it } from '@jest/globals';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { allowOrigin, withCors } from '../../../lambdas/http/cors.ts';
import { anEvent } from '../../support/http.ts';

const ORIGIN = 'https://app.example.com';
const ANSWER = { statusCode: 200, headers: { vary: 'prefer' }, body: '{}' };

const answered = () => Promise.resolve(ANSWER);
const from = (origin: string, parts: Parameters<typeof anEvent>[0] = {}) =>
  anEvent({
    method: 'GET',
    resource: '/jobs',
    ...parts,
    headers: { Origin: origin, ...parts.headers },
  });
const originOf = ({ headers }: APIGatewayProxyResult) => headers?.['access-control-allow-origin'];

describe('origins of web pages', () => {
  it.each([
    { name: 'the only one', origins: [ORIGIN], allowed: ORIGIN },
    { name: 'one of two', origins: ['https://a.example', ORIGIN], allowed: ORIGIN },
    { name: 'any', origins: ['*'], allowed: ORIGIN },
    { name: 'none', origins: [], allowed: undefined },
    { name: 'one that begins alike', origins: [`${ORIGIN}.evil.example`], allowed: undefined },
    { name: 'another scheme', origins: ['http://app.example.com'], allowed: undefined },
  ])('allows $name', async ({ origins, allowed }) => {
    expect(originOf(await withCors(origins, answered)(from(ORIGIN)))).toBe(allowed);
  });

  it('changes nothing for callers that are no web pages', async () => {
    const event = anEvent({ method: 'GET', resource: '/jobs' });
    expect(await withCors([ORIGIN], answered)(event)).toBe(ANSWER);
  });

  it('adds to what the answer depends on', () => {
    expect(allowOrigin([ORIGIN], from(ORIGIN), ANSWER.headers)).toMatchObject({
      vary: 'prefer, origin',
    });
  });

  it('answers OPTIONS without a question as before', async () => {
    const event = from(ORIGIN, { method: 'OPTIONS' });
    expect(await withCors([ORIGIN], answered)(event)).toMatchObject({ statusCode: 200 });
  });

  it('answers a preflight without the handler', async () => {
    const event = from(ORIGIN, {
      method: 'OPTIONS',
      headers: { 'access-control-request-method': 'POST' },
    });
    const handler = withCors([ORIGIN], () => Promise.reject(new Error('called')));
    expect(await handler(event)).toMatchObject({ statusCode: 204, body: '' });
  });
});
