import type { Command, Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

const USAGE = `usage: longhaul keys create --tenant <id> --scopes <scope,…> [--table <name>] [--json]
       longhaul keys list [--tenant <id>] [--table <name>] [--json]
       longhaul keys revoke <key or its prefix>… [--table <name>] [--json]
       longhaul size --rate <5/s> --duration <90s> --steps <6> [--json]   (docs/sizing.md has every flag)

The table is the stack's output JobTableName; without --table it is read from LONGHAUL_TABLE.
Region, credentials and endpoint are those of the AWS CLI: AWS_REGION, AWS_PROFILE, AWS_ENDPOINT_URL_DYNAMODB.`;

/** Loaded on demand, so that a slip of the pen is answered without waiting for the AWS SDK. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  'keys create': async () => (await import('./keys-create.ts')).createKey,
  'keys list': async () => (await import('./keys-list.ts')).listKeys,
  'keys revoke': async () => (await import('./keys-revoke.ts')).revokeKeys,
  size: async () => (await import('./size.ts')).sizeLoad,
};

/** Answers the exit code: 0 done, 1 it failed, 2 it was called wrongly. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<0 | 1 | 2> {
  if (args.length === 0 || args.includes('--help') || args.includes('-h')) {
    terminal.out(USAGE);
    return args.length === 0 ? 2 : 0;
  }
  try {
    const name = nameOf(args);
    const command = await COMMANDS[name]?.();
    await command?.(args.slice(name.split(' ').length), terminal);
    return 0;
  } catch (error) {
    if (!isUsageError(error)) {
      terminal.note(describe(error, terminal));
      return 1;
    }
    terminal.note(`${error.message}\n\n${USAGE}`);
    return 2;
  }
}

/** The words that name a command: one or two. */
function nameOf(args: readonly string[]): string {
  const names = [args.slice(0, 2).join(' '), args[0] ?? ''];
  const known = names.find((name) => Object.hasOwn(COMMANDS, name));
  if (known !== undefined) return known;
  const all = Object.keys(COMMANDS).join(', ');
  throw new UsageError(`unknown command ${JSON.stringify(names[0])}: allowed are ${all}`);
}

function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS_');
}

function describe(error: unknown, { env }: Terminal): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name !== 'ResourceNotFoundException') return `${error.name}: ${error.message}`;
  const region = env.AWS_REGION ?? 'the default region';
  return `the table is not in ${region} of this account: give the stack's output JobTableName, and its region as AWS_REGION`;
}
