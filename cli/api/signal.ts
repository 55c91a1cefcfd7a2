import { parseArgs } from 'node:util';
import type { Terminal } from '../terminal.ts';
import { exactly } from './arguments.ts';
import { showJob } from './control.ts';
import { API_OPTIONS, openApi } from './open-api.ts';
import { INPUT_OPTIONS, readJson } from './read-json.ts';

/** `signal` */
export async function signal(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ...API_OPTIONS, ...INPUT_OPTIONS, 'idempotency-key': { type: 'string' } },
  });
  const [jobId, name] = exactly(positionals, ['<jobId>', '<name>']);
  const { 'idempotency-key': idempotencyKey } = values;
  const client = openApi(values, terminal);
  const body = JSON.parse(await readJson(values, terminal)) as unknown;
  const options = { ...(idempotencyKey !== undefined && { idempotencyKey }) };
  showJob(await client.signal(jobId, name, body, options), values, terminal);
}
