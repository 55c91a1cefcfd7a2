import { describe, expect, it } from '@jest/globals';
import { httpHandler } from '../../../lambdas/http/http-handler.ts';
import { openapiRoute } from '../../../lambdas/http/openapi-route.ts';
import { anEvent, bodyOf, LAMBDA_CONTEXT, recordingTelemetry } from '../../support/http.ts';

const handler = httpHandler(recordingTelemetry(), openapiRoute);

function ask(headers: Record<string, string> = {}, stagePrefix = '/v1') {
  const parts = { method: 'GET', resource: '/openapi.json', caller: null, headers, stagePrefix };
  return handler(anEvent(parts), LAMBDA_CONTEXT);
}

describe('GET /openapi.json', () => {
  it.each(['/v1', '/agents/v1', ''])(
    'names %j as its server, where it was asked for',
    async (base) => {
      const result = await ask({}, base);

      expect(result.statusCode).toBe(200);
      expect(bodyOf(result)).toMatchObject({ openapi: '3.1.0', servers: [{ url: base || '/' }] });
      expect(result.headers).toMatchObject({
        'content-type': 'application/json',
        'cache-control': 'public, max-age=300',
        etag: expect.stringMatching(/^"[\w-]+"$/),
      });
    },
  );

  it.each([
    { name: 'its tag', list: (tag: string) => tag },
    { name: 'its tag among others', list: (tag: string) => `"other", W/${tag}` },
    { name: 'any tag', list: () => '*' },
  ])('answers 304 without a body to $name', async ({ list }) => {
    const tag = String((await ask()).headers?.['etag']);

    const result = await ask({ 'If-None-Match': list(tag) });

    expect(result).toMatchObject({ statusCode: 304, body: '', headers: { etag: tag } });
    expect(result.headers).not.toHaveProperty('content-type');
  });

  it('answers in full to another tag, such as that of another base path', async () => {
    const tag = String((await ask({}, '/v2')).headers?.['etag']);

    expect((await ask({ 'if-none-match': tag })).statusCode).toBe(200);
  });
});
