import { parseArgs } from 'node:util';
import type { Delivery } from '../../client/index.ts';
import type { Terminal } from '../terminal.ts';
import { exactly } from './arguments.ts';
import { API_OPTIONS, openApi } from './open-api.ts';
import { printable } from './printable.ts';

/** `deliveries`: the notifications of a job, with each try to deliver them. */
export async function deliveries(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: API_OPTIONS,
  });
  const [jobId] = exactly(positionals, ['<jobId>']);
  for (const delivery of await openApi(values, terminal).deliveries(jobId)) {
    terminal.out(values.json ? JSON.stringify(delivery) : deliveryText(delivery));
  }
}

export function deliveryText(delivery: Delivery): string {
  const { deliveryId, event, status, url, tries, nextTryAt } = delivery;
  const lines = [
    [deliveryId, event, status, url].join('  '),
    ...tries.map((one) => {
      const what = one.status === undefined ? (one.error ?? 'no answer') : String(one.status);
      return `  ${one.at}  ${what}  ${one.durationMs} ms`;
    }),
    ...(nextTryAt === undefined ? [] : [`  ${nextTryAt}  next try`]),
  ];
  return lines.map(printable).join('\n');
}
