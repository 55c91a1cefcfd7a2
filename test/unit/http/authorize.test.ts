import { beforeEach, describe, expect, it } from '@jest/globals';
import { authorizer, type AuthorizerEvent } from '../../../lambdas/http/authorize.ts';
import { memoryApiKeyStore } from '../../../src/adapters/memory/api-key-store.ts';
import { memoryTenantStore } from '../../../src/adapters/memory/tenant-store.ts';
import { systemIdSource } from '../../../src/adapters/system/id-source.ts';
import type { ApiKeyStore } from '../../../src/core/ports/api-key-store.ts';
import type { TokenVerifier } from '../../../src/core/ports/token-verifier.ts';
import type { TenantStore } from '../../../src/core/ports/tenant-store.ts';
import { NOON } from '../../support/builders.ts';
import { recordingTelemetry, type RecordingTelemetry } from '../../support/http.ts';

const KEY = `lh_${'a1B_-'.repeat(8)}abc`;
const HOUR_MS = 3_600_000;
const ARN = 'arn:aws:execute-api:eu-west-1:123456789012:abc123/v1/GET/jobs/job_1';

describe('authorizer', () => {
  let telemetry: RecordingTelemetry;
  let keys: ApiKeyStore;
  let tenants: TenantStore;
  let now: number;
  let verify: TokenVerifier['verify'];
  let authorize: ReturnType<typeof authorizer>;

  beforeEach(async () => {
    telemetry = recordingTelemetry();
    now = NOON;
    verify = () => Promise.reject(new Error('no token is expected'));
    keys = memoryApiKeyStore();
    await keys.put(aKey(KEY));
    await keys.put({ ...aKey(`${KEY}revoked`), revokedAt: NOON - 1 });
    await keys.put({ ...aKey(`${KEY}expired`), expiresAt: NOON });
    await keys.put({ ...aKey(`${KEY}ending`), expiresAt: NOON + 1 });
    tenants = memoryTenantStore();
    authorize = authorizer({
      keys,
      tenants,
      ids: systemIdSource,
      clock: { now: () => now },
      telemetry,
      tokens: { verify: (token) => verify(token) },
      defaults: { requestsPerSecond: 7 },
    });
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
      context: {
        tenantId: 'acme',
        scopes: 'jobs:read jobs:write',
        keyPrefix: 'lh_a1B_',
        requestsPerSecond: 7,
      },
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
    { name: 'an expired key', header: `Bearer ${KEY}expired` },
  ])('refuses $name by the error API Gateway answers 401 to', async ({ header }) => {
    const event = request(header === undefined ? {} : { Authorization: header });

    await expect(authorize(event)).rejects.toThrow(/^Unauthorized$/);

    expect(telemetry.lines).toMatchObject([{ fields: { requestId: 'request-1' } }]);
    expect(JSON.stringify(telemetry.lines)).not.toContain('a1B_-a1B_-');
  });

  it('hands over what the settings of the tenant say, and when the key ends', async () => {
    await tenants.update(
      'acme',
      {
        allowedAgents: ['greet', 'echo'],
        limits: { maxSteps: 10, maxDurationMs: 60_000 },
        requestsPerSecond: 0,
        webhookEndpoints: [{ id: 'e', url: 'https://acme.example' }],
      },
      NOON,
    );

    const { context } = await authorize(request({ Authorization: `Bearer ${KEY}ending` }));

    expect(context).toEqual({
      tenantId: 'acme',
      scopes: 'jobs:read jobs:write',
      keyPrefix: 'lh_a1B_',
      expiresAt: NOON + 1,
      allowedAgents: 'greet echo',
      maxSteps: 10,
      maxDurationMs: 60_000,
      requestsPerSecond: 0,
      hasEndpoints: 1,
    });
  });

  it('notes the use of a key once an hour', async () => {
    const event = request({ Authorization: `Bearer ${KEY}` });
    const usedAt = async () => (await keys.find(aKey(KEY).hash))?.lastUsedAt;

    await authorize(event);
    expect(await usedAt()).toBe(NOON);
    now = NOON + HOUR_MS - 1;
    await authorize(event);
    expect(await usedAt()).toBe(NOON);
    now = NOON + HOUR_MS;
    await authorize(event);
    expect(await usedAt()).toBe(NOON + HOUR_MS);
  });

  it('lets a key in although its use cannot be noted', async () => {
    keys.noteUse = () => Promise.reject(new Error('the table is busy'));

    const { principalId } = await authorize(request({ Authorization: `Bearer ${KEY}` }));

    expect(principalId).toBe('acme');
    expect(telemetry.lines).toMatchObject([{ level: 'warn' }]);
  });

  describe('of a token', () => {
    const TOKEN = 'eyJh.eyJi.c-_1';
    const event = request({ authorization: `Bearer ${TOKEN}` });

    it('hands over its tenant, those of its scopes that mean something here, and its end', async () => {
      const asked: string[] = [];
      await tenants.update('beta', { allowedAgents: ['greet'] }, NOON);
      verify = (token) => {
        asked.push(token);
        const scopes = ['openid', 'jobs:read'];
        return Promise.resolve({ valid: true, tenantId: 'beta', scopes, expiresAt: NOON + 5 });
      };

      const { principalId, context } = await authorize(event);

      expect(asked).toEqual([TOKEN]);
      expect(principalId).toBe('beta');
      expect(context).toEqual({
        tenantId: 'beta',
        scopes: 'jobs:read',
        expiresAt: NOON + 5,
        allowedAgents: 'greet',
        requestsPerSecond: 7,
      });
    });

    it('refuses one that is not good, and logs why but not the token', async () => {
      verify = () => Promise.resolve({ valid: false, because: 'it has expired' });

      await expect(authorize(event)).rejects.toThrow(/^Unauthorized$/);

      expect(telemetry.lines).toMatchObject([{ fields: { because: 'it has expired' } }]);
      expect(JSON.stringify(telemetry.lines)).not.toContain(TOKEN);
    });

    it('fails when nobody knows, so that API Gateway answers 503 and not 401', async () => {
      verify = () => Promise.reject(new Error('no keys'));

      await expect(authorize(event)).rejects.toThrow('no keys');

      expect(telemetry.lines).toMatchObject([
        { level: 'error', fields: { requestId: 'request-1' } },
      ]);
    });

    it('refuses all where no issuer is configured', async () => {
      authorize = authorizer({
        ...{ keys, tenants, ids: systemIdSource, clock: { now: () => now }, telemetry },
        defaults: { requestsPerSecond: 0 },
      });
      await expect(authorize(event)).rejects.toThrow(/^Unauthorized$/);
    });
  });

  it('does not take a table that is down for a bad key', async () => {
    keys.find = () => Promise.reject(new Error('the table is down'));

    await expect(authorize(request({ Authorization: `Bearer ${KEY}` }))).rejects.toThrow(
      'the table is down',
    );
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
