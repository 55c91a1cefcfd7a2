import { type CommandEntry, COMMANDS } from './commands.ts';
import { describeError, errorJson, exitCodeOfError, isUsageError } from './describe-error.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';
import { usageOf } from './usage.ts';
import { withoutKeys } from './without-keys.ts';

/** Runs what the arguments say and answers the exit code. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  if (args.length === 0 || args.includes('--help') || args.includes('-h')) {
    terminal.out(usageOf(args));
    return args.length === 0 ? EXIT.usage : EXIT.done;
  }
  try {
    const { name, load } = commandOf(args);
    const command = await load();
    return (await command(args.slice(name.split(' ').length), terminal)) ?? EXIT.done;
  } catch (error) {
    if (terminal.signal?.aborted === true) return EXIT.interrupted;
    const note = (text: string) => {
      terminal.note(withoutKeys(text, args, terminal));
    };
    if (isUsageError(error)) {
      note(`${error.message}\n\n${usageOf(args)}`);
      return EXIT.usage;
    }
    const isJson = args.includes('--json');
    note(isJson ? JSON.stringify(errorJson(error)) : describeError(error, terminal));
    return exitCodeOfError(error);
  }
}

function commandOf(args: readonly string[]): CommandEntry {
  const words = args.slice(0, 2).join(' ');
  const found = COMMANDS.find(({ name }) => words === name || args[0] === name);
  if (found !== undefined) return found;
  const known = COMMANDS.map(({ name }) => name).join(', ');
  throw new UsageError(`unknown command ${JSON.stringify(words)}: allowed are ${known}`);
}
