import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CREDENTIALS, type Endpoints } from './emulators/clients.ts';
import { REGION } from './template/identity.ts';

/** What a maker of API keys needs to know of the cloud. */
export interface KeyContext {
  readonly outputs: Readonly<Record<string, string>>;
  readonly endpoints: Endpoints;
}

export type CreateKeys = (context: KeyContext) => Promise<Readonly<Record<string, string>>>;

const READ_WRITE = 'jobs:read,jobs:write';
const KEYS = [
  ['acme', 'acme', READ_WRITE],
  ['globex', 'globex', READ_WRITE],
  ['ops', 'acme', `ops,${READ_WRITE}`],
] as const;

const TABLE_OUTPUT = 'JobTableName';

/** Makes the keys of the local cloud with the project's own command line, as an operator would against AWS. */
export const createKeysWithCli: CreateKeys = async ({ endpoints, outputs }) => {
  const table = outputs[TABLE_OUTPUT];
  if (table === undefined) throw new Error(`the stack has no output ${TABLE_OUTPUT}`);
  const keys = await Promise.all(
    KEYS.map(async ([name, tenant, scopes]) => {
      const args = ['keys', 'create', '--tenant', tenant, '--scopes', scopes];
      return [name, await keyFromCli([...args, '--table', table, '--json'], endpoints)] as const;
    }),
  );
  return Object.fromEntries(keys);
};

async function keyFromCli(args: readonly string[], endpoints: Endpoints): Promise<string> {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['cli/longhaul.ts', ...args], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
      AWS_ENDPOINT_URL_SQS: endpoints.sqs,
      AWS_ENDPOINT_URL_S3: endpoints.s3,
    },
  });
  return (JSON.parse(stdout) as { key: string }).key;
}
