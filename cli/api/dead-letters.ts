import { parseArgs } from 'node:util';
import type { DeadLetter } from '../../client/index.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { countOf } from './arguments.ts';
import { jobText } from './job-text.ts';
import { API_OPTIONS, openApi } from './open-api.ts';
import { indented, printable } from './printable.ts';
import { take } from './take.ts';

/** `dead-letters`: all of them, or one with its job. */
export async function deadLetters(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...API_OPTIONS,
      agent: { type: 'string' },
      code: { type: 'string' },
      limit: { type: 'string', default: '20' },
      all: { type: 'boolean', default: false },
    },
  });
  const [jobId, ...others] = positionals;
  if (others.length > 0) throw new UsageError('dead-letters shows one job, or all');
  const limit = values.all ? Infinity : countOf('--limit', values.limit, 1_000_000);
  const client = openApi(values, terminal);
  if (jobId !== undefined) {
    const { job, ...letter } = await client.deadLetter(jobId);
    if (values.json) terminal.out(JSON.stringify({ ...letter, job }));
    else terminal.out([jobText(job), 'dead letter', indented(letter)].join('\n'));
    return;
  }
  const { agent, code, json } = values;
  const filter = { ...(agent !== undefined && { agent }), ...(code !== undefined && { code }) };
  for await (const letter of take(limit, client.deadLetters(filter))) {
    terminal.out(json ? JSON.stringify(letter) : lineOf(letter));
  }
}

function lineOf({ jobId, agent, code, step, message, failedAt }: DeadLetter): string {
  const where = step === undefined ? [] : [step];
  return printable([jobId, failedAt, agent, code, ...where, message].join('  '));
}
