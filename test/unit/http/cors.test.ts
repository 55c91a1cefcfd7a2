import { describe, expect, it } from '@jest/globals';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { allowOrigin, withCors } from '../../../lambdas/http/cors.ts';
import { DOCUMENTED } from '../../support/contract/document.ts';
import { anEvent, LAMBDA_CONTEXT } from '../../support/http.ts';

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

const PREFLIGHT = from(ORIGIN, {
  method: 'OPTIONS',
  headers: { 'access-control-request-method': 'POST' },
});
/** Read by browsers, not by scripts. */
const OF_BROWSERS = ['vary', 'www-authenticate'];
const SENT = DOCUMENTED.flatMap(({ parameters }) =>
  parameters.filter((one) => one.in === 'header').map(({ name }) => name.toLowerCase()),
);
const ANSWERED = DOCUMENTED.flatMap(({ responses }) =>
  Object.values(responses).flatMap(({ headers }) => Object.keys(headers ?? {})),
)
  .map((name) => name.toLowerCase())
  .filter((name) => !OF_BROWSERS.includes(name));

describe('origins of web pages', () => {
  it.each([
    { name: 'the only one', origins: [ORIGIN], allowed: ORIGIN },
    { name: 'one of two', origins: ['https://a.example', ORIGIN], allowed: ORIGIN },
    { name: 'any', origins: ['*'], allowed: ORIGIN },
    { name: 'none', origins: [], allowed: undefined },
    { name: 'one that begins alike', origins: [`${ORIGIN}.evil.example`], allowed: undefined },
    { name: 'another scheme', origins: ['http://app.example.com'], allowed: undefined },
  ])('allows $name', async ({ origins, allowed }) => {
    expect(originOf(await withCors(origins, answered)(from(ORIGIN), LAMBDA_CONTEXT))).toBe(allowed);
  });

  it('changes nothing for callers that are no web pages', async () => {
    const event = anEvent({ method: 'GET', resource: '/jobs' });
    expect(await withCors([ORIGIN], answered)(event, LAMBDA_CONTEXT)).toBe(ANSWER);
  });

  it('adds to what the answer depends on', () => {
    expect(allowOrigin([ORIGIN], from(ORIGIN), ANSWER.headers)).toMatchObject({
      vary: 'prefer, origin',
    });
  });

  it('answers OPTIONS without a question as before', async () => {
    const event = from(ORIGIN, { method: 'OPTIONS' });
    expect(await withCors([ORIGIN], answered)(event, LAMBDA_CONTEXT)).toMatchObject({
      statusCode: 200,
    });
  });

  it.each([...new Set(SENT)])('lets scripts send %s', async (name) => {
    const { headers } = await withCors([ORIGIN], answered)(PREFLIGHT, LAMBDA_CONTEXT);
    expect(String(headers?.['access-control-allow-headers']).split(', ')).toContain(name);
  });

  it.each([...new Set(ANSWERED)])('lets scripts read %s', async (name) => {
    const { headers } = await withCors([ORIGIN], answered)(from(ORIGIN), LAMBDA_CONTEXT);
    expect(String(headers?.['access-control-expose-headers']).split(', ')).toContain(name);
  });

  it('answers a preflight without the handler', async () => {
    const handler = withCors([ORIGIN], () => Promise.reject(new Error('called')));
    expect(await handler(PREFLIGHT, LAMBDA_CONTEXT)).toMatchObject({ statusCode: 204, body: '' });
  });
});
