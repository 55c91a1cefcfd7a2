import { parseArgs } from 'node:util';
import type { ExitCode } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';
import { exactly } from './arguments.ts';
import { showJob } from './control.ts';
import { API_OPTIONS, openApi } from './open-api.ts';
import { watchJob } from './watch-job.ts';

/** `retry` */
export async function retry(
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode | undefined> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...API_OPTIONS,
      hint: { type: 'string' },
      'from-step': { type: 'string' },
      watch: { type: 'boolean', default: false },
    },
  });
  const [jobId] = exactly(positionals, ['<jobId>']);
  const { hint, 'from-step': fromStep, json } = values;
  const client = openApi(values, terminal);
  const job = await client.retry(jobId, {
    ...(hint !== undefined && { hint }),
    ...(fromStep !== undefined && { fromStep }),
  });
  if (values.watch) return watchJob(client, { jobId, json }, terminal);
  showJob(job, values, terminal);
  return undefined;
}
