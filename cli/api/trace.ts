import { parseArgs } from 'node:util';
import type { Terminal } from '../terminal.ts';
import { exactly } from './arguments.ts';
import { eventText } from './event-text.ts';
import { API_OPTIONS, openApi } from './open-api.ts';

/** `trace`: what has happened so far, one line for each entry. */
export async function trace(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: API_OPTIONS,
  });
  const [jobId] = exactly(positionals, ['<jobId>']);
  for await (const entry of openApi(values, terminal).trace(jobId)) {
    terminal.out(values.json ? JSON.stringify(entry) : `${entry.at}  ${eventText(entry)}`);
  }
}
