import { parseArgs } from 'node:util';
import type { ExitCode } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';
import { exactly, timeoutOf } from './arguments.ts';
import { API_OPTIONS, openApi } from './open-api.ts';
import { watchJob } from './watch-job.ts';

/** `watch` */
export async function watch(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ...API_OPTIONS, after: { type: 'string' }, timeout: { type: 'string' } },
  });
  const [jobId] = exactly(positionals, ['<jobId>']);
  const { json, after } = values;
  const timeoutMs = timeoutOf(values.timeout);
  const watching = {
    jobId,
    json,
    ...(after !== undefined && { after }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
  return watchJob(openApi(values, terminal), watching, terminal);
}
