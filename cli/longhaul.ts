import { createKey } from './keys.ts';
import { UsageError } from './usage-error.ts';

const USAGE = `longhaul keys create --tenant <id> --scopes <scope,…> [--table <name>] [--json]

  Makes an API key and prints it once. --table defaults to LONGHAUL_TABLE (the stack's output JobTableName).

  longhaul keys create --tenant acme --scopes jobs:read,jobs:write --table MyTable`;

const [group, command, ...rest] = process.argv.slice(2);
try {
  if (group === 'keys' && command === 'create') await createKey(rest);
  else throw new UsageError(`unknown command ${JSON.stringify([group, command].join(' ').trim())}`);
} catch (error) {
  const usage =
    error instanceof UsageError ||
    (error as { code?: unknown }).code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION';
  console.error(error instanceof Error ? error.message : error);
  if (usage) console.error(`\n${USAGE}`);
  process.exitCode = usage ? 2 : 1;
}
