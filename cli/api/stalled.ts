import { parseArgs } from 'node:util';
import type { StalledJob } from '../../client/index.ts';
import { millisecondsOf } from '../end-of.ts';
import type { Terminal } from '../terminal.ts';
import { countOf, exactly, pastOf } from './arguments.ts';
import { API_OPTIONS, openApi } from './open-api.ts';
import { printable } from './printable.ts';
import { take } from './take.ts';

const PAGE = 100;

/** `stalled`: jobs that do not go on, one line for each with the reason. */
export async function stalled(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...API_OPTIONS,
      'waiting-longer': { type: 'string' },
      agent: { type: 'string' },
      'created-after': { type: 'string' },
      limit: { type: 'string', default: '20' },
      all: { type: 'boolean', default: false },
    },
  });
  exactly(positionals, []);
  const limit = values.all ? Infinity : countOf('--limit', values.limit, 1_000_000);
  const { agent, 'waiting-longer': waitingLonger } = values;
  if (waitingLonger !== undefined) millisecondsOf('--waiting-longer', waitingLonger);
  const createdAfter = pastOf('--created-after', values['created-after'], Date.now());
  const filter = {
    ...(waitingLonger !== undefined && { waitingLonger }),
    ...(agent !== undefined && { agent }),
    ...(createdAfter !== undefined && { createdAfter }),
  };
  const jobs = openApi(values, terminal).stalledJobs(filter, { limit: Math.min(PAGE, limit) });
  for await (const job of take(limit, jobs)) {
    terminal.out(values.json ? JSON.stringify(job) : lineOf(job));
  }
}

function lineOf({ jobId, agent, status, kind, reason }: StalledJob): string {
  return printable([jobId, status, kind, agent, reason].join('  '));
}
