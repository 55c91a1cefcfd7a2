import { parseArgs } from 'node:util';
import type { ExitCode } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';
import { exactly } from './arguments.ts';
import { openApi } from './open-api.ts';
import { RESTART_OPTIONS, showRestarted } from './restart.ts';

/** `retry` */
export async function retry(
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode | undefined> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: RESTART_OPTIONS,
  });
  const [jobId] = exactly(positionals, ['<jobId>']);
  const { hint, 'from-step': fromStep } = values;
  const client = openApi(values, terminal);
  const job = await client.retry(jobId, {
    ...(hint !== undefined && { hint }),
    ...(fromStep !== undefined && { fromStep }),
  });
  return showRestarted(client, job, { ...values, terminal });
}
