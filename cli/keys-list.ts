import { parseArgs } from 'node:util';
import type { ApiKey } from '../src/core/ports/api-key-store.ts';
import { openKeyStore } from './key-store.ts';
import { tenantOf } from './tenant-of.ts';
import type { Terminal } from './terminal.ts';

/** `keys list`: oldest first, revoked ones too. */
export async function listKeys(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      tenant: { type: 'string' },
      table: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  const tenantId = values.tenant === undefined ? undefined : tenantOf(values.tenant);
  const stored = await openKeyStore(values.table, terminal).list();
  const keys = stored.filter((key) => tenantId === undefined || key.tenantId === tenantId);
  if (values.json) terminal.out(JSON.stringify(keys.map(withoutHash)));
  else for (const key of keys) terminal.out(describe(key));
}

function withoutHash({ hash: _, createdAt, revokedAt, ...key }: ApiKey) {
  const created = { ...key, createdAt: isoOf(createdAt) };
  return revokedAt === undefined ? created : { ...created, revokedAt: isoOf(revokedAt) };
}

function describe({ prefix, tenantId, scopes, createdAt, revokedAt }: ApiKey): string {
  const state = revokedAt === undefined ? 'active' : `revoked ${isoOf(revokedAt)}`;
  return [prefix, tenantId, scopes.join(','), `created ${isoOf(createdAt)}`, state].join('  ');
}

const isoOf = (instant: number): string => new Date(instant).toISOString();
