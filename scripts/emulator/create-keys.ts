import { runProgram } from './run-program.ts';

const LIMIT_SECONDS = 30;

/** Keys of the contract suite by name, with tenant and scopes. */
const KEYS = {
  acme: ['acme', 'jobs:read,jobs:write'],
  globex: ['globex', 'jobs:read,jobs:write'],
  ops: ['acme', 'ops,jobs:read,jobs:write'],
  operator: ['initech', 'jobs:read,jobs:write,ops'],
  readonly: ['acme', 'jobs:read'],
  writeonly: ['acme', 'jobs:write'],
  revoked: ['acme', 'jobs:read'],
} as const;

/** Makes the keys with the `longhaul` command, as an operator would. */
export async function createKeys(
  table: string,
  env: NodeJS.ProcessEnv,
): Promise<Record<keyof typeof KEYS, string>> {
  const keys = Object.entries(KEYS).map(async ([name, [tenant, scopes]]) => {
    const args = ['create', '--tenant', tenant, '--scopes', scopes, '--table', table, '--json'];
    const { key } = JSON.parse(await longhaulKeys(args, env)) as { key: string };
    return [name, key] as const;
  });
  const created = Object.fromEntries(await Promise.all(keys)) as Record<keyof typeof KEYS, string>;
  await longhaulKeys(['revoke', created.revoked, '--table', table], env);
  return created;
}

function longhaulKeys(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return runProgram(['node', 'cli/longhaul.ts', 'keys', ...args], {
    env,
    limitSeconds: LIMIT_SECONDS,
  });
}
