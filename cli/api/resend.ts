import { parseArgs } from 'node:util';
import type { Terminal } from '../terminal.ts';
import { exactly } from './arguments.ts';
import { deliveryText } from './deliveries.ts';
import { API_OPTIONS, openApi } from './open-api.ts';

/** `resend`: a notification once more, under the same webhook id. */
export async function resend(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: API_OPTIONS,
  });
  const [jobId, deliveryId] = exactly(positionals, ['<jobId>', '<deliveryId>']);
  const delivery = await openApi(values, terminal).resend(jobId, deliveryId);
  terminal.out(values.json ? JSON.stringify(delivery) : deliveryText(delivery));
}
