import { parseArgs } from 'node:util';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { exactly } from './arguments.ts';
import { API_OPTIONS, openApi } from './open-api.ts';

/** `usage`: jobs and steps of the tenant in a month. */
export async function monthUsage(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ...API_OPTIONS, month: { type: 'string' } },
  });
  exactly(positionals, []);
  if (values.month !== undefined && !/^\d{4}-\d{2}$/.test(values.month)) {
    throw new UsageError(`--month is ${JSON.stringify(values.month)}: give it as 2026-11`);
  }
  const usage = await openApi(values, terminal).usage(values.month);
  const { succeeded, failed, cancelled } = usage.jobs;
  terminal.out(
    values.json
      ? JSON.stringify(usage)
      : `${usage.month}  ${succeeded} succeeded, ${failed} failed, ${cancelled} cancelled, ${usage.steps} steps`,
  );
}
