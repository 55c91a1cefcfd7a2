import { randomBytes } from 'node:crypto';
import { describe } from '@jest/globals';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoApiKeyStore } from '../../src/adapters/dynamodb/api-key-store.ts';
import { documentClient } from '../../src/adapters/dynamodb/document-client.ts';
import { dynamoJobStore } from '../../src/adapters/dynamodb/job-store.ts';
import { dynamoTenantStore } from '../../src/adapters/dynamodb/tenant-store.ts';
import { dynamoWebhookSecretStore } from '../../src/adapters/dynamodb/webhook-secret-store.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { systemIdSource } from '../../src/adapters/system/id-source.ts';
import type { ApiKey, ApiKeyStore } from '../../src/core/ports/api-key-store.ts';
import type { TenantStore } from '../../src/core/ports/tenant-store.ts';
import type { JobStore } from '../../src/core/ports/job-store.ts';
import { SCOPES } from '../../src/protocol/routes.ts';
import { LocalControl } from './local-control.ts';
import { startLocalCloudProcess } from './local-cloud.ts';
import { LocalQueues } from './local-queues.ts';
import { isLocal, where } from './where.ts';

export { isLocal, JOB_ENDS_WITHIN_MS } from './where.ts';

/** Keys the contract suite uses: two tenants that read and write, one with `ops`, one that may only read, one that may only write, a revoked one. */
export interface TargetKeys {
  readonly acme: string;
  readonly globex: string;
  readonly ops: string;
  /** Of a tenant of its own, with every scope: what other suites leave in a deployment is not in its way. */
  readonly operator: string;
  readonly readonly?: string;
  readonly writeonly?: string;
  readonly revoked?: string;
}

/** A Longhaul that tests talk to over HTTP, wherever it runs. It deploys the agents of `agents.ts`. */
export interface Target {
  /** Base URL, stage included. */
  readonly apiUrl: string;
  readonly keys: TargetKeys;
  stop(): Promise<void>;
}

export interface LocalTarget extends Target {
  readonly control: LocalControl;
  readonly queues: LocalQueues;
  /** What the table holds, read and written past the API. */
  readonly jobs: JobStore;
  /** What `longhaul webhooks add` writes. */
  addEndpoint(tenantId: string, url: string): Promise<void>;
  /** What the webhooks of a tenant are signed with, the newest first. */
  webhookSecrets(tenantId: string): Promise<readonly string[]>;
  readonly apiKeys: ApiKeyStore;
  readonly tenants: TenantStore;
  /** A new key, without a process for `longhaul keys create`. */
  createKey(grant: Pick<ApiKey, 'tenantId'> & Partial<ApiKey>): Promise<string>;
  /** What the functions logged so far. */
  functionLog(): Promise<string>;
}

/** Origin of the web pages that the deployment allows to call its API. */
export const PAGE_ORIGIN = 'https://app.example.com';

/** Tests that need what only the local cloud offers; elsewhere they are skipped under a title that says why. */
export function describeLocal(title: string, why: string, tests: () => void): void {
  if (isLocal) describe(title, tests);
  else describe.skip(`${title} (local only: ${why})`, tests);
}

/**
 * `TARGET` unset or `local`: starts a local cloud. `TARGET=<url>`: what is deployed there, from `-c
 * agentsEntry=test/support/agents.ts`, with `LONGHAUL_KEYS` holding a JSON object of the keys.
 */
export async function startTarget(context: readonly string[] = []): Promise<Target> {
  if (isLocal) return startLocalTarget(context);
  const keys = JSON.parse(process.env.LONGHAUL_KEYS ?? 'null') as TargetKeys | null;
  if (keys === null) throw new Error('TARGET is a URL: LONGHAUL_KEYS must hold the keys as JSON');
  return { apiUrl: where.replace(/\/$/, ''), keys, stop: () => Promise.resolve() };
}

/** A local cloud and the routes by which tests look into it and break it. */
export async function startLocalTarget(context: readonly string[] = []): Promise<LocalTarget> {
  const cloud = await startLocalCloudProcess([`longhaul:corsOrigins=${PAGE_ORIGIN}`, ...context]);
  const client = new DynamoDBClient({
    region: cloud.region,
    endpoint: cloud.endpoints.dynamodb,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const table = {
    name: cloud.outputs.JobTableName ?? '',
    client: documentClient(client),
    clock: systemClock,
  };
  const queues = new LocalQueues(cloud);
  const apiKeys = dynamoApiKeyStore(table);
  const createKey = keyMaker(apiKeys);
  return {
    apiUrl: cloud.apiUrl,
    keys: {
      ...cloud.keys,
      operator: await createKey({ tenantId: 'initech', scopes: [...SCOPES] }),
      readonly: await createKey({ tenantId: 'acme' }),
      writeonly: await createKey({ tenantId: 'acme', scopes: ['jobs:write'] }),
      revoked: await createKey({ tenantId: 'acme', revokedAt: Date.now() - 1 }),
    },
    apiKeys,
    tenants: dynamoTenantStore(table),
    createKey,
    control: new LocalControl(cloud.controlUrl),
    queues,
    jobs: dynamoJobStore(table),
    addEndpoint: async (tenantId, url) => {
      const webhookEndpoints = [{ id: 'ep_1', url }];
      await dynamoTenantStore(table).update(tenantId, { webhookEndpoints }, Date.now());
    },
    webhookSecrets: async (tenantId) =>
      (await dynamoWebhookSecretStore(table).list(tenantId)).map(({ secret }) => secret),
    functionLog: () => cloud.functionLog(),
    stop: async () => {
      queues.destroy();
      client.destroy();
      await cloud.stop();
    },
  };
}

/** What `longhaul keys create` writes; by default the key may only read. */
function keyMaker(store: ApiKeyStore): LocalTarget['createKey'] {
  return async (grant) => {
    const key = `lh_${randomBytes(32).toString('base64url')}`;
    await store.put({
      hash: systemIdSource.sha256(key),
      scopes: ['jobs:read'],
      prefix: key.slice(0, 11),
      createdAt: Date.now(),
      ...grant,
    });
    return key;
  };
}
