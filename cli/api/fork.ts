import { parseArgs } from 'node:util';
import type { ExitCode } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { exactly } from './arguments.ts';
import { showJob } from './control.ts';
import { API_OPTIONS, openApi } from './open-api.ts';
import { watchJob } from './watch-job.ts';

/** `fork` */
export async function fork(
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
      'idempotency-key': { type: 'string' },
      watch: { type: 'boolean', default: false },
    },
  });
  const [jobId] = exactly(positionals, ['<jobId>']);
  const { hint, 'from-step': fromStep, 'idempotency-key': idempotencyKey, json } = values;
  if (fromStep === undefined) {
    throw new UsageError('--from-step is missing: the first step that the new job runs itself');
  }
  const client = openApi(values, terminal);
  const job = await client.fork(jobId, {
    fromStep,
    ...(hint !== undefined && { hint }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
  if (values.watch) return watchJob(client, { jobId: job.jobId, json }, terminal);
  showJob(job, values, terminal);
  return undefined;
}
