import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { runCommand } from '../../cli/run-command.ts';
import { dynamoApiKeyStore } from '../../src/adapters/dynamodb/api-key-store.ts';
import { documentClient } from '../../src/adapters/dynamodb/document-client.ts';
import { dynamoTenantStore } from '../../src/adapters/dynamodb/tenant-store.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { systemIdSource } from '../../src/adapters/system/id-source.ts';
import { type DynamoEmulator, startDynamo } from '../support/emulators.ts';

const AWS_VARIABLES = ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const;
const DAY_MS = 86_400_000;
const KEY = /^lh_[A-Za-z0-9_-]{43}$/;

let dynamo: DynamoEmulator;
let table: string;

beforeAll(async () => {
  dynamo = await startDynamo();
  for (const name of AWS_VARIABLES) process.env[name] = 'us-east-1';
  process.env.AWS_ENDPOINT_URL_DYNAMODB = dynamo.endpoint;
});

afterAll(() => dynamo.stop());

beforeEach(async () => {
  table = await dynamo.createTable();
});

const keys = () =>
  dynamoApiKeyStore({ name: table, client: documentClient(dynamo.client), clock: systemClock });

const tenants = () =>
  dynamoTenantStore({ name: table, client: documentClient(dynamo.client), clock: systemClock });

/** Runs a command on the table of this test. */
async function longhaul(...args: string[]) {
  const out: string[] = [];
  const notes: string[] = [];
  const code = await runCommand(args, {
    out: (line) => out.push(line),
    note: (line) => notes.push(line),
    env: { LONGHAUL_TABLE: table },
  });
  return { code, out, notes: notes.join('\n') };
}

async function createKey(tenant = 'acme'): Promise<{ key: string; prefix: string }> {
  const args = ['keys', 'create', '--tenant', tenant, '--scopes', 'jobs:read', '--json'];
  const { out } = await longhaul(...args);
  return JSON.parse(out[0] ?? '') as { key: string; prefix: string };
}

describe('longhaul in a pipe', () => {
  it('ends without a complaint when its reader has closed the pipe', async () => {
    const child = spawn(process.execPath, ['cli/longhaul.ts', '--help']);
    child.stdout.destroy();

    const [notes] = await Promise.all([text(child.stderr), once(child, 'exit')]);

    expect({ code: child.exitCode, notes }).toEqual({ code: 141, notes: '' });
  });
});

describe('longhaul keys create', () => {
  it('prints a key once and stores its hash with tenant and scopes', async () => {
    const { code, out, notes } = await longhaul(
      ...['keys', 'create', '--tenant', 'acme', '--scopes', 'jobs:read, ops,jobs:read'],
    );

    const [key = ''] = out;
    expect({ code, lines: out.length }).toEqual({ code: 0, lines: 1 });
    expect(key).toMatch(KEY);
    expect(notes).not.toContain(key);
    const hash = systemIdSource.sha256(key);
    expect(await keys().find(hash)).toEqual({
      hash,
      tenantId: 'acme',
      scopes: ['jobs:read', 'ops'],
      prefix: key.slice(0, 11),
      createdAt: expect.any(Number),
    });
  });

  it('starts as a process of its own, and prints JSON', async () => {
    const args = ['keys', 'create', '--tenant', 'a', '--scopes', 'ops', '--table', table, '--json'];
    const command = ['cli/longhaul.ts', ...args];
    // Named, because the environment of a test file is a copy that children do not inherit.
    const { stdout } = await promisify(execFile)(process.execPath, command, { env: process.env });
    expect(JSON.parse(stdout)).toEqual({
      key: expect.stringMatching(KEY),
      tenantId: 'a',
      scopes: ['ops'],
      prefix: expect.stringMatching(/^lh_.{8}$/),
    });
  });
});

describe('longhaul keys list', () => {
  it('shows keys by prefix, of one tenant or of all, and never their hashes', async () => {
    const first = await createKey('acme');
    const second = await createKey('beta');
    await longhaul('keys', 'revoke', first.prefix);

    const all = await longhaul('keys', 'list');
    expect(all.out).toHaveLength(2);
    expect(all.out[0]).toMatch(
      new RegExp(`^${first.prefix}  acme  jobs:read  created .* revoked `),
    );

    const { out } = await longhaul('keys', 'list', '--tenant', 'beta', '--json');
    expect(JSON.parse(out[0] ?? '')).toEqual([
      {
        prefix: second.prefix,
        tenantId: 'beta',
        scopes: ['jobs:read'],
        createdAt: expect.stringMatching(/Z$/),
      },
    ]);
  });
});

describe('longhaul keys create --expires', () => {
  it.each([
    { given: '90d', ms: () => Date.now() + 90 * DAY_MS },
    { given: '2099-01-31', ms: () => Date.UTC(2099, 0, 31) },
    { given: '2099-01-31T12:00:00+01:00', ms: () => Date.UTC(2099, 0, 31, 11) },
  ])('ends the key at $given', async ({ given, ms }) => {
    const args = ['--tenant', 'a', '--scopes', 'ops', '--expires', given, '--json'];
    const { out, notes } = await longhaul('keys', 'create', ...args);

    const { expiresAt } = JSON.parse(out[0] ?? '') as { expiresAt: string };
    expect(Math.abs(Date.parse(expiresAt) - ms())).toBeLessThan(60_000);
    expect((await keys().list())[0]?.expiresAt).toBe(Date.parse(expiresAt));
    expect(notes).toContain(expiresAt);
  });

  it('makes a key without an end for never', async () => {
    await longhaul(...['keys', 'create', '--tenant', 'a', '--scopes', 'ops', '--expires', 'never']);
    expect((await keys().list())[0]).not.toHaveProperty('expiresAt');
  });
});

describe('longhaul keys list, of keys in use', () => {
  it('shows when a key was last used and when it ends, as text and as JSON', async () => {
    const { prefix } = await createKey();
    const [stored] = await keys().list();
    await keys().noteUse(stored?.hash ?? '', Date.UTC(2026, 0, 1));
    await keys().expire(stored?.hash ?? '', Date.UTC(2099, 0, 1));

    const text = (await longhaul('keys', 'list')).out[0];
    expect(text).toContain('used 2026-01-01T00:00:00.000Z');
    expect(text).toContain('expires 2099-01-01T00:00:00.000Z');
    const { out } = await longhaul('keys', 'list', '--json');
    expect(JSON.parse(out[0] ?? '')).toMatchObject([
      { prefix, lastUsedAt: '2026-01-01T00:00:00.000Z', expiresAt: '2099-01-01T00:00:00.000Z' },
    ]);
    await keys().expire(stored?.hash ?? '', Date.UTC(2026, 0, 2));
    expect((await longhaul('keys', 'list')).out[0]).toContain('expired 2026-01-02');
  });
});

describe('longhaul keys rotate', () => {
  it('makes a key of the same tenant and scopes, and ends the old one after the overlap', async () => {
    const old = await createKey('beta');

    const { code, out } = await longhaul(
      ...['keys', 'rotate', old.prefix, '--overlap', '2h', '--json'],
    );

    const rotated = JSON.parse(out[0] ?? '') as Record<string, string>;
    expect(code).toBe(0);
    expect(rotated).toEqual({
      key: expect.stringMatching(KEY),
      tenantId: 'beta',
      scopes: ['jobs:read'],
      prefix: rotated.key?.slice(0, 11),
      replaces: { prefix: old.prefix, expiresAt: expect.stringMatching(/Z$/) },
    });
    const find = (key: string) => keys().find(systemIdSource.sha256(key));
    const inTwoHours = Date.now() + 7_200_000;
    expect(Math.abs(((await find(old.key))?.expiresAt ?? 0) - inTwoHours)).toBeLessThan(60_000);
    expect(await find(rotated.key ?? '')).toMatchObject({
      tenantId: 'beta',
      scopes: ['jobs:read'],
    });
    expect(await find(rotated.key ?? '')).not.toHaveProperty('expiresAt');
  });

  it('leaves the old key a day when nothing is said', async () => {
    const { key } = await createKey();
    const { out, notes } = await longhaul('keys', 'rotate', key);
    expect(out).toEqual([expect.stringMatching(KEY)]);
    expect(notes).not.toContain(out[0]);
    const { expiresAt = 0 } = (await keys().find(systemIdSource.sha256(key))) ?? {};
    expect(Math.abs(expiresAt - Date.now() - DAY_MS)).toBeLessThan(60_000);
  });

  it('asks when the new key ends if the old one does', async () => {
    const { key } = await createKey();
    await longhaul('keys', 'rotate', key);

    expect(await longhaul('keys', 'rotate', key)).toMatchObject({ code: 2, out: [] });
    expect(await keys().list()).toHaveLength(2);
    expect((await longhaul('keys', 'rotate', key, '--expires', 'never')).code).toBe(0);
    expect((await longhaul('keys', 'rotate', key, '--expires', '90d')).code).toBe(0);
  });

  it('refuses a key that is revoked and says what to do', async () => {
    const { key, prefix } = await createKey();
    await longhaul('keys', 'revoke', key);

    const { code, notes } = await longhaul('keys', 'rotate', prefix);

    expect(code).toBe(1);
    expect(notes).toContain('keys create --tenant acme --scopes jobs:read');
    expect(await keys().list()).toHaveLength(1);
  });
});

describe('longhaul tenants', () => {
  const set = (...args: string[]) => longhaul('tenants', 'set', 'acme', ...args);

  it('sets some settings and leaves the others', async () => {
    await set('--allowed-agents', 'greet, echo,greet', '--max-steps', '100');
    const { code, out } = await set(
      '--max-duration',
      '90m',
      '--requests-per-second',
      '0',
      '--json',
    );

    expect(code).toBe(0);
    expect(JSON.parse(out[0] ?? '')).toEqual({
      tenantId: 'acme',
      allowedAgents: ['greet', 'echo'],
      limits: { maxSteps: 100, maxDuration: '90m' },
      requestsPerSecond: 0,
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect(await tenants().find('acme')).toMatchObject({
      limits: { maxSteps: 100, maxDurationMs: 5_400_000 },
    });
  });

  it('takes settings away again', async () => {
    await set('--allowed-agents', 'greet', '--max-steps', '100', '--max-duration', '2h');
    await set('--unset', 'allowed-agents,max-steps');
    expect((await longhaul('tenants', 'get', 'acme')).out[0]).toMatch(
      /^acme {2}max-duration 2h {2}changed /,
    );
    await set('--unset', 'max-duration');
    expect((await longhaul('tenants', 'get', 'acme')).out[0]).toMatch(/^acme {2}no settings/);
  });

  it('lists tenants with settings', async () => {
    const endpoint = { id: 'e1', url: 'https://acme.example/hook' };
    await tenants().update('acme', { webhookEndpoints: [endpoint] }, Date.now());
    await longhaul('tenants', 'set', 'beta', '--requests-per-second', '5');

    const { out } = await longhaul('tenants', 'list', '--json');

    expect(JSON.parse(out[0] ?? '')).toMatchObject([
      { tenantId: 'acme', webhookEndpoints: [{ id: 'e1', url: 'https://acme.example/hook' }] },
      { tenantId: 'beta', requestsPerSecond: 5 },
    ]);
    expect((await longhaul('tenants', 'list')).out).toHaveLength(2);
  });

  it('shows a tenant that has no settings', async () => {
    const { code, out } = await longhaul('tenants', 'get', 'nobody', '--json');
    expect({ code, out }).toEqual({ code: 0, out: ['{"tenantId":"nobody"}'] });
  });
});

describe('longhaul keys revoke', () => {
  it('revokes keys by themselves and by their prefixes', async () => {
    const [first, second, third] = [await createKey(), await createKey(), await createKey()];

    const { code, out } = await longhaul('keys', 'revoke', first.key, second.prefix);

    expect({ code, out }).toEqual({
      code: 0,
      out: [`revoked ${first.prefix} of acme`, `revoked ${second.prefix} of acme`],
    });
    const stored = await keys().list();
    const active = stored.filter(({ revokedAt }) => revokedAt === undefined);
    expect(active.map(({ prefix }) => prefix)).toEqual([third.prefix]);
  });

  it('revokes nothing when one of the keys is not found', async () => {
    const { key } = await createKey();
    const { code, notes } = await longhaul('keys', 'revoke', key, 'lh_notthere');
    expect(code).toBe(1);
    expect(notes).toContain('lh_notthere');
    expect((await keys().list())[0]?.revokedAt).toBeUndefined();
  });

  it('revokes nothing when a prefix is that of two keys', async () => {
    await createKey();
    await createKey();
    for (const key of await keys().list()) await keys().put({ ...key, prefix: 'lh_samesame' });
    expect((await longhaul('keys', 'revoke', 'lh_same')).code).toBe(1);
    expect((await keys().list()).every(({ revokedAt }) => revokedAt === undefined)).toBe(true);
  });
});

describe('longhaul, called wrongly', () => {
  it.each([
    { args: ['keys', 'destroy'], named: 'keys destroy' },
    { args: ['toString'], named: 'toString' },
    { args: ['keys', 'create', '--scopes', 'ops'], named: '--tenant' },
    { args: ['keys', 'create', '--tenant', 'Acme', '--scopes', 'ops'], named: 'Acme' },
    { args: ['keys', 'create', '--tenant', '', '--scopes', 'ops'], named: '--tenant' },
    { args: ['keys', 'create', '--tenant', 'a'], named: '--scopes' },
    { args: ['keys', 'create', '--tenant', 'a', '--scopes', 'root'], named: 'root' },
    { args: ['keys', 'create', '--tenant', 'a', '--scopes', ''], named: '--scopes' },
    {
      args: ['keys', 'create', '--tenant', 'a', '--scopes', 'ops', '--tabel', 'x'],
      named: '--tabel',
    },
    { args: ['keys', 'create', '--tenant', 'a', '--scopes', 'ops', 'x'], named: 'x' },
    {
      args: ['keys', 'create', '--tenant', 'a', '--scopes', 'ops', '--table', ''],
      named: '--table',
    },
    { args: ['keys', 'list', '--tenant', 'A'], named: '--tenant' },
    { args: ['keys', 'revoke'], named: 'lh_' },
    { args: ['keys', 'rotate'], named: 'lh_' },
    { args: ['keys', 'rotate', 'lh_a', 'lh_b'], named: 'one key' },
    { args: ['keys', 'rotate', 'lh_a', '--overlap', 'soon'], named: '--overlap' },
    {
      args: ['keys', 'create', '--tenant', 'a', '--scopes', 'ops', '--expires', '2020-01-01'],
      named: 'future',
    },
    {
      args: ['keys', 'create', '--tenant', 'a', '--scopes', 'ops', '--expires', '2099-13-01'],
      named: '--expires',
    },
    { args: ['tenants', 'set'], named: '<tenant>' },
    { args: ['tenants', 'set', 'acme'], named: 'nothing is set' },
    { args: ['tenants', 'set', 'acme', '--max-steps', '0'], named: '100000' },
    { args: ['tenants', 'set', 'acme', '--max-duration', '1ms'], named: '--max-duration' },
    { args: ['tenants', 'set', 'acme', '--requests-per-second', '-1'], named: '--requests' },
    { args: ['tenants', 'set', 'acme', '--allowed-agents', 'Greet'], named: 'Greet' },
    { args: ['tenants', 'set', 'acme', '--unset', 'nothing'], named: 'max-steps' },
    {
      args: ['tenants', 'set', 'acme', '--unset', 'max-steps', '--max-steps', '1'],
      named: 'both',
    },
    { args: ['tenants', 'get', 'a', 'b'], named: 'one tenant' },
    { args: ['keys', 'revoke', 'lh_x', 'abc'], named: 'argument 2' },
  ])('says what is wrong with $args and ends with 2', async ({ args, named }) => {
    const { code, out, notes } = await longhaul(...args);
    expect({ code, out }).toEqual({ code: 2, out: [] });
    expect(notes).toContain(named);
    expect(notes).toContain('usage: longhaul');
  });

  it('does not repeat a mistyped key', async () => {
    const { notes } = await longhaul('keys', 'revoke', `lh_${'s'.repeat(42)}`);
    expect(notes).not.toContain('ssss');
  });

  it('shows its usage when asked, and when called with nothing', async () => {
    expect(await longhaul('--help')).toMatchObject({ code: 0, notes: '' });
    expect(await longhaul()).toMatchObject({ code: 2 });
  });

  it('shows the usage and examples of one command when asked, or of those with the same first word', async () => {
    const one = (await longhaul('keys', 'rotate', '--help')).out.join('\n');
    expect(one).toContain('longhaul keys rotate lh_2fQ9 --overlap 72h');
    expect(one).not.toContain('keys list');
    const group = (await longhaul('tenants', '--help')).out.join('\n');
    expect(group).toContain('tenants get');
    expect(group).not.toContain('keys list');
  });

  it('names the remedy when the table is not there', async () => {
    const { code, notes } = await longhaul('keys', 'list', '--table', 'nowhere');
    expect(code).toBe(1);
    expect(notes).toContain('JobTableName');
  });
});

describe('longhaul size', () => {
  const ASKED = ['size', '--rate', '5/s', '--duration', '90s', '--steps', '6'];

  it('prints what a load needs and costs, for people and for programs', async () => {
    const { code, out } = await longhaul(...ASKED);
    const json = await longhaul(...ASKED, '--json');

    expect(code).toBe(0);
    expect(out[0]).toBe("Jobs in flight: 5/s × 90 s = 450 (Little's law)");
    expect(JSON.parse(json.out.join(''))).toMatchObject({
      demand: { jobsInFlight: 450 },
      risks: [],
    });
  });

  it('warns of settings that send good messages to the dead-letter queue', async () => {
    const { out } = await longhaul(...ASKED, '--reserved', '50');

    expect(out.join('\n')).toContain('a reserved concurrency of 50 is below');
  });

  it.each([
    { name: 'a rate without a unit', args: ['--rate', '5'], says: /--rate must be .* got 5/ },
    {
      name: 'a duration of nothing',
      args: ['--duration', '0s'],
      says: /--duration must be .* got 0s/,
    },
    {
      name: 'an unknown unit',
      args: ['--input', '2GB'],
      says: /--input must be .* B, KB, MB: got 2GB/,
    },
    { name: 'no steps', args: ['--steps', '0'], says: /--steps must be .* got 0/ },
  ])('refuses $name', async ({ args, says }) => {
    const { code, notes } = await longhaul(...ASKED, ...args);

    expect({ code, notes }).toEqual({ code: 2, notes: expect.stringMatching(says) });
  });
});

describe('longhaul webhooks', () => {
  const webhooks = (command: string, ...args: string[]) =>
    longhaul('webhooks', command, ...args, '--tenant', 'acme');
  const add = (...args: string[]) => webhooks('add', '--json', ...args);

  it('makes the secret of a tenant once, and shows the same again', async () => {
    const first = await webhooks('secret');
    const again = await webhooks('secret', '--json');
    const other = await longhaul('webhooks', 'secret', '--tenant', 'beta');

    expect(first.out[0]).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(JSON.parse(again.out[0] ?? '')).toMatchObject({
      tenantId: 'acme',
      secret: first.out[0],
    });
    expect(other.out[0]).not.toBe(first.out[0]);
  });

  it('rotates it: the old one signs beside the new one for the overlap', async () => {
    const { out: old } = await webhooks('secret');
    const rotated = await webhooks('rotate', '--overlap', '2h');
    const shown = await webhooks('secret');

    expect(rotated.out[0]).not.toBe(old[0]);
    expect(shown.out).toEqual(rotated.out);
    expect(shown.notes).toMatch(/an older secret signs beside it until \d{4}-/);
    expect(shown.notes).not.toContain('whsec_');
    expect((await webhooks('rotate', '--overlap', 'soon')).code).toBe(2);
  });

  it('adds, lists and removes endpoints that are told of all jobs', async () => {
    const url = 'https://example.com/hooks';
    const { id } = JSON.parse((await add('--url', url)).out[0] ?? '') as { id: string };
    await add('--url', `${url}/failures`, '--events', 'failed,waiting');

    const { out } = await webhooks('list');
    expect(out).toEqual([
      `${id}  ${url}  all events`,
      expect.stringMatching(
        /^ep_\w{12} {2}https:\/\/example.com\/hooks\/failures {2}failed,waiting$/,
      ),
    ]);
    expect((await tenants().find('acme'))?.webhookEndpoints).toHaveLength(2);
    expect((await webhooks('remove', id)).code).toBe(0);
    expect((await webhooks('remove', id)).code).toBe(1);
    expect((await webhooks('list')).out).toHaveLength(1);
  });

  it.each([
    ['no URL', []],
    ['plain http', ['--url', 'http://example.com/']],
    ['loopback', ['--url', 'http://127.0.0.1:3000/']],
    ['an unknown event', ['--url', 'https://example.com/', '--events', 'started']],
  ])('refuses an endpoint with %s', async (_what, args) => {
    const { code } = await add(...args);
    expect(code).toBe(2);
    expect(await tenants().find('acme')).toBeUndefined();
  });

  it('takes loopback for the local runtime, and five endpoints at most', async () => {
    const local = ['--url', 'http://127.0.0.1:3000/', '--allow-loopback'];
    for (let count = 0; count < 5; count++) expect((await add(...local)).code).toBe(0);
    expect((await add(...local)).code).toBe(1);
  });
});
