import { createHash, randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { dynamoApiKeyStore } from '../src/adapters/dynamodb/api-key-store.ts';
import { documentClient } from '../src/adapters/dynamodb/document-client.ts';
import { systemClock } from '../src/adapters/system/clock.ts';
import { SCOPES } from '../src/protocol/routes.ts';
import { UsageError } from './usage-error.ts';

const TENANT = /^[a-z0-9-]{1,64}$/;

/** `keys create`: the key is shown here and nowhere else; the table holds its hash. */
export async function createKey(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      tenant: { type: 'string' },
      scopes: { type: 'string' },
      table: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  const tenantId = tenantOf(values.tenant);
  const scopes = scopesOf(values.scopes);
  const table = values.table ?? process.env.LONGHAUL_TABLE;
  if (table === undefined)
    throw new UsageError('--table is missing: give the name of the job table');
  const key = `lh_${randomBytes(32).toString('base64url')}`;
  const store = dynamoApiKeyStore({ name: table, client: documentClient(), clock: systemClock });
  const hash = createHash('sha256').update(key).digest('hex');
  const prefix = key.slice(0, 8);
  await store.put({ hash, tenantId, scopes, prefix, createdAt: systemClock.now() });
  console.log(values.json ? JSON.stringify({ key, tenantId, scopes, prefix }) : key);
}

function tenantOf(tenant: string | undefined): string {
  if (tenant !== undefined && TENANT.test(tenant)) return tenant;
  throw new UsageError(`--tenant is ${JSON.stringify(tenant)}: allowed is ${TENANT.source}`);
}

function scopesOf(text: string | undefined): string[] {
  const scopes = (text ?? '').split(',').filter((scope) => scope !== '');
  const unknown = scopes.find((scope) => !(SCOPES as readonly string[]).includes(scope));
  if (scopes.length > 0 && unknown === undefined) return scopes;
  throw new UsageError(
    `--scopes has ${JSON.stringify(unknown ?? text)}: allowed are ${SCOPES.join(', ')}`,
  );
}
