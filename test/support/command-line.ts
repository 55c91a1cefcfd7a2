import { runCommand } from '../../cli/run-command.ts';
import type { Terminal } from '../../cli/terminal.ts';
import { fakeApi, type Reply } from './fake-api.ts';

export const TEST_KEY = `lh_${'k'.repeat(43)}`;

export interface CommandRun {
  /** What the API answers, in order. */
  readonly replies?: readonly Reply[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly terminal?: Partial<Terminal>;
}

/** Runs a command of `longhaul` against an API that gives the replies. */
export async function commandLine(args: readonly string[], run: CommandRun = {}) {
  const api = fakeApi(run.replies ?? []);
  const out: string[] = [];
  const notes: string[] = [];
  const code = await runCommand(args, {
    out: (line) => out.push(line),
    note: (line) => notes.push(line),
    env: run.env ?? { LONGHAUL_URL: api.baseUrl, LONGHAUL_KEY: TEST_KEY },
    fetch: api.fetch,
    ...run.terminal,
  });
  return { code, out, notes: notes.join('\n'), sent: api.sent, repliesLeft: api.repliesLeft() };
}
