import { parseArgs } from 'node:util';
import type { ExitCode } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { exactly } from './arguments.ts';
import { openApi } from './open-api.ts';
import { RESTART_OPTIONS, showRestarted } from './restart.ts';

/** `fork` */
export async function fork(
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode | undefined> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ...RESTART_OPTIONS, 'idempotency-key': { type: 'string' } },
  });
  const [jobId] = exactly(positionals, ['<jobId>']);
  const { hint, 'from-step': fromStep, 'idempotency-key': idempotencyKey } = values;
  if (fromStep === undefined) {
    throw new UsageError('--from-step is missing: the first step that the new job runs itself');
  }
  const client = openApi(values, terminal);
  const job = await client.fork(jobId, {
    fromStep,
    ...(hint !== undefined && { hint }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
  return showRestarted(client, job, { ...values, terminal });
}
