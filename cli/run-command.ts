import { type CommandEntry, COMMANDS } from './commands.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';
import { usageOf } from './usage.ts';

/** Answers the exit code: 0 done, 1 it failed, 2 it was called wrongly. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<0 | 1 | 2> {
  if (args.length === 0 || args.includes('--help') || args.includes('-h')) {
    terminal.out(usageOf(args));
    return args.length === 0 ? 2 : 0;
  }
  try {
    const { name, load } = commandOf(args);
    const command = await load();
    await command(args.slice(name.split(' ').length), terminal);
    return 0;
  } catch (error) {
    if (!isUsageError(error)) {
      terminal.note(describe(error, terminal));
      return 1;
    }
    terminal.note(`${error.message}\n\n${usageOf(args)}`);
    return 2;
  }
}

function commandOf(args: readonly string[]): CommandEntry {
  const words = args.slice(0, 2).join(' ');
  const found = COMMANDS.find(({ name }) => words === name || args[0] === name);
  if (found !== undefined) return found;
  const known = COMMANDS.map(({ name }) => name).join(', ');
  throw new UsageError(`unknown command ${JSON.stringify(words)}: allowed are ${known}`);
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
