import { API_COMMANDS } from './api/commands.ts';
import type { Command } from './terminal.ts';

/** A command as the usage shows it. */
export interface CommandEntry {
  /** One word or two: `keys create`. */
  readonly name: string;
  /** What follows the name. */
  readonly takes: string;
  readonly does: string;
  /** Whole lines, as one would type them. */
  readonly examples: readonly string[];
  /** Works on the job table, and so needs its name and AWS credentials. */
  readonly usesTable: boolean;
  /** Talks to the API, and so needs its URL and an API key. */
  readonly usesApi?: boolean;
  /** Loaded on demand, so that a slip of the pen is answered without waiting for the AWS SDK. */
  readonly load: () => Promise<Command>;
}

const TABLE = '[--table <name>] [--json]';

/** Every command there is, in the order of the usage. */
export const COMMANDS: readonly CommandEntry[] = [
  ...API_COMMANDS,
  {
    name: 'keys create',
    takes: `--tenant <id> --scopes <scope,…> [--expires <90d | date>] ${TABLE}`,
    does: 'makes an API key and shows it once',
    examples: ['longhaul keys create --tenant acme --scopes jobs:read,jobs:write --expires 90d'],
    usesTable: true,
    load: async () => (await import('./keys-create.ts')).createKey,
  },
  {
    name: 'keys list',
    takes: `[--tenant <id>] ${TABLE}`,
    does: 'lists keys by their prefixes, with last use and end',
    examples: ['longhaul keys list --tenant acme'],
    usesTable: true,
    load: async () => (await import('./keys-list.ts')).listKeys,
  },
  {
    name: 'keys rotate',
    takes: `<key or its prefix> [--overlap 24h] [--expires <90d | date | never>] ${TABLE}`,
    does: 'makes a key like an old one, which ends after the overlap',
    examples: ['longhaul keys rotate lh_2fQ9 --overlap 72h'],
    usesTable: true,
    load: async () => (await import('./keys-rotate.ts')).rotateKey,
  },
  {
    name: 'keys revoke',
    takes: `<key or its prefix>… ${TABLE}`,
    does: 'ends keys for good, within a minute',
    examples: ['longhaul keys revoke lh_2fQ9sT1x'],
    usesTable: true,
    load: async () => (await import('./keys-revoke.ts')).revokeKeys,
  },
  {
    name: 'tenants list',
    takes: TABLE,
    does: 'lists the tenants that have settings',
    examples: ['longhaul tenants list --json'],
    usesTable: true,
    load: async () => (await import('./tenants-list.ts')).listTenants,
  },
  {
    name: 'tenants get',
    takes: `<tenant> ${TABLE}`,
    does: 'shows the settings of a tenant',
    examples: ['longhaul tenants get acme'],
    usesTable: true,
    load: async () => (await import('./tenants-get.ts')).getTenant,
  },
  {
    name: 'tenants set',
    takes: `<tenant> [--allowed-agents <name,…>] [--max-steps <n>] [--max-duration <2h>] [--requests-per-second <n>] [--unset <setting,…>] ${TABLE}`,
    does: 'changes settings of a tenant; those not named stay as they are',
    examples: [
      'longhaul tenants set acme --allowed-agents greet,summarize-document --max-duration 2h',
      'longhaul tenants set acme --unset allowed-agents,max-duration',
    ],
    usesTable: true,
    load: async () => (await import('./tenants-set.ts')).setTenant,
  },
  {
    name: 'tenants delete',
    takes: `<tenant> --confirm <tenant> --bucket <name> [--schedule-group <name>] ${TABLE}`,
    does: 'deletes all that is stored of a tenant whose jobs have ended',
    examples: ['longhaul tenants delete acme --confirm acme --bucket <PayloadBucketName>'],
    usesTable: true,
    load: async () => (await import('./tenants-delete.ts')).deleteTenant,
  },
  {
    name: 'webhooks add',
    takes: `--tenant <id> --url <https://…> [--events <event,…>] [--allow-loopback] ${TABLE}`,
    does: 'adds an endpoint that is told of all jobs of a tenant',
    examples: [
      'longhaul webhooks add --tenant acme --url https://example.com/hooks --events failed,waiting',
    ],
    usesTable: true,
    load: async () => (await import('./webhooks-add.ts')).addEndpoint,
  },
  {
    name: 'webhooks list',
    takes: `--tenant <id> ${TABLE}`,
    does: 'lists the endpoints of a tenant',
    examples: ['longhaul webhooks list --tenant acme'],
    usesTable: true,
    load: async () => (await import('./webhooks-list.ts')).listEndpoints,
  },
  {
    name: 'webhooks remove',
    takes: `<endpoint> --tenant <id> ${TABLE}`,
    does: 'removes an endpoint of a tenant',
    examples: ['longhaul webhooks remove ep_2b9c0f1d3e5a --tenant acme'],
    usesTable: true,
    load: async () => (await import('./webhooks-remove.ts')).removeEndpoint,
  },
  {
    name: 'webhooks secret',
    takes: `--tenant <id> ${TABLE}`,
    does: 'shows what receivers verify the webhooks of a tenant with',
    examples: ['longhaul webhooks secret --tenant acme'],
    usesTable: true,
    load: async () => (await import('./webhooks-secret.ts')).showWebhookSecret,
  },
  {
    name: 'webhooks rotate',
    takes: `--tenant <id> [--overlap 24h] ${TABLE}`,
    does: 'makes a new secret; the old one signs beside it for the overlap',
    examples: ['longhaul webhooks rotate --tenant acme --overlap 72h'],
    usesTable: true,
    load: async () => (await import('./webhooks-rotate.ts')).rotateWebhookSecret,
  },
  {
    name: 'size',
    takes: '--rate <5/s> --duration <90s> --steps <6> [--json]',
    does: 'says what a load needs and costs; docs/sizing.md has every flag',
    examples: ['longhaul size --rate 5/s --duration 90s --steps 6'],
    usesTable: false,
    load: async () => (await import('./size.ts')).sizeLoad,
  },
];
