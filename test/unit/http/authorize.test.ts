import { beforeEach, describe, expect, it } from '@jest/globals';
import { authorizer, type AuthorizerEvent } from '../../../lambdas/http/authorize.ts';
import { memoryApiKeyStore } from '../../../src/adapters/memory/api-key-store.ts';
import { systemIdSource } from '../../../src/adapters/system/id-source.ts';
import { NOON } from '../../support/builders.ts';
import { recordingTelemetry, type RecordingTelemetry } from '../../support/http.ts';

const KEY = `lh_${'a1B_-'.repeat(8)}abc`;
const ARN = 'arn:aws:execute-api:eu-west-1:123456789012:abc123/v1/GET/jobs/job_1';

describe('authorizer', () => {
  let telemetry: RecordingTelemetry;
  let authorize: ReturnType<typeof authorizer>;

  beforeEach(async () => {
    telemetry = recordingTelemetry();
    const keys = memoryApiKeyStore();
    await keys.put(aKey(KEY));
    await keys.put({ ...aKey(`${KEY}revoked`), revokedAt: NOON - 1 });
    authorize = authorizer({ keys, ids: systemIdSource, clock: { now: () => NOON }, telemetry });
  });

  it.each([
    { name: 'a REQUEST event', event: request({ Authorization: `Bearer ${KEY}` }) },
    { name: 'a header in lower case', event: request({ authorization: `bearer ${KEY}` }) },
    { name: 'a TOKEN event', event: { methodArn: ARN, authorizationToken: `Bearer ${KEY}` } },
  ])('allows the whole stage for $name', async ({ event }) => {
    expect(await authorize(event)).toEqual({
      principalId: 'acme',
      policyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Action: 'execute-api:Invoke',
            Effect: 'Allow',
            Resource: 'arn:aws:execute-api:eu-west-1:123456789012:abc123/v1/*',
          },
        ],
      },
      context: { tenantId: 'acme', scopes: 'jobs:read jobs:write', keyPrefix: 'lh_a1B_' },
    });
  });

  it.each([
    { name: 'no header', header: undefined },
    { name: 'an empty header', header: '' },
    { name: 'another scheme', header: `Basic ${KEY}` },
    { name: 'a key without its prefix', header: `Bearer ${KEY.slice(3)}` },
    { name: 'a key with something behind it', header: `Bearer ${KEY} x` },
    { name: 'an unknown key', header: `Bearer ${KEY}x` },
    { name: 'a revoked key', header: `Bearer ${KEY}revoked` },
  ])('refuses $name by the error API Gateway answers 401 to', async ({ header }) => {
    const event = request(header === undefined ? {} : { Authorization: header });

    await expect(authorize(event)).rejects.toThrow(/^Unauthorized$/);

    expect(telemetry.lines).toMatchObject([{ fields: { requestId: 'request-1' } }]);
    expect(JSON.stringify(telemetry.lines)).not.toContain('a1B_-a1B_-');
  });
});

function aKey(key: string) {
  return {
    hash: systemIdSource.sha256(key),
    tenantId: 'acme',
    scopes: ['jobs:read', 'jobs:write'],
    prefix: key.slice(0, 7),
    createdAt: NOON - 1_000,
  };
}

function request(headers: Record<string, string>): AuthorizerEvent {
  return {
    methodArn: ARN,
    headers,
    requestContext: { requestId: 'request-1' } as never,
  };
}
