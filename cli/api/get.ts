import { parseArgs } from 'node:util';
import { isFinal } from '../../client/index.ts';
import type { ExitCode } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';
import { exactly } from './arguments.ts';
import { jobText } from './job-text.ts';
import { API_OPTIONS, openApi } from './open-api.ts';
import { showResult } from './show-result.ts';

/** `get` */
export async function get(
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode | undefined> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ...API_OPTIONS, result: { type: 'boolean', default: false } },
  });
  const [jobId] = exactly(positionals, ['<jobId>']);
  const client = openApi(values, terminal);
  const job = await client.get(jobId);
  if (!values.result) {
    terminal.out(values.json ? JSON.stringify(job) : jobText(job));
    return undefined;
  }
  if (!isFinal(job)) throw new Error(`the job is ${job.status}, so it has no result yet`);
  return showResult(client, job, { json: false }, terminal);
}
