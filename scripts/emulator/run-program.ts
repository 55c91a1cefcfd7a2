import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { signalGroup, startGroup } from './process-group.ts';

export interface ProgramOptions {
  /** The program and all that it started are ended when it takes longer. */
  readonly limitSeconds: number;
  /** @default - the environment of this process */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Runs a program to its end and gives what it printed.
 * @throws Error with the end of its output, when it exits with another status than 0 or runs out of time.
 */
export async function runProgram(
  command: readonly [string, ...string[]],
  { limitSeconds, env = process.env }: ProgramOptions,
): Promise<string> {
  const child = startGroup(command, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { out: '', all: '' };
  child.stdout?.on('data', (chunk: Buffer) => {
    printed.out += chunk.toString();
    printed.all += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    printed.all += chunk.toString();
  });
  const end = await endOf(child, limitSeconds);
  if (end === undefined) return printed.out;
  const shown = printed.all.trimEnd().split('\n').slice(-40).join('\n');
  throw new Error(`${command.join(' ')} ${end}\n${shown}`);
}

/** How the program ended, in words; nothing when it ended well. */
async function endOf(child: ChildProcess, limitSeconds: number): Promise<string | undefined> {
  const timer = setTimeout(() => {
    signalGroup(child, 'SIGKILL');
  }, limitSeconds * 1_000);
  const [status, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  clearTimeout(timer);
  if (status === 0) return undefined;
  return signal === 'SIGKILL'
    ? `was killed, it may take ${limitSeconds} s`
    : `ended with ${String(status ?? signal)}`;
}
