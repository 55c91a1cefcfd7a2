import { parseArgs } from 'node:util';
import type { Terminal } from '../terminal.ts';
import { countOf, exactly, oneOf, pastOf } from './arguments.ts';
import { jobLine } from './job-text.ts';
import { API_OPTIONS, openApi } from './open-api.ts';
import { take } from './take.ts';

const STATUSES = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const;
const PAGE = 100;

/** `list`: newest first, one line for each job. */
export async function list(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...API_OPTIONS,
      status: { type: 'string' },
      agent: { type: 'string' },
      tag: { type: 'string' },
      'created-after': { type: 'string' },
      'created-before': { type: 'string' },
      limit: { type: 'string', default: '20' },
      all: { type: 'boolean', default: false },
    },
  });
  exactly(positionals, []);
  const limit = values.all ? Infinity : countOf('--limit', values.limit, 1_000_000);
  const status = oneOf('--status', values.status, STATUSES);
  const createdAfter = pastOf('--created-after', values['created-after'], Date.now());
  const createdBefore = pastOf('--created-before', values['created-before'], Date.now());
  const { agent, tag } = values;
  const filter = {
    ...(status !== undefined && { status }),
    ...(agent !== undefined && { agent }),
    ...(tag !== undefined && { tag }),
    ...(createdAfter !== undefined && { createdAfter }),
    ...(createdBefore !== undefined && { createdBefore }),
  };
  const jobs = openApi(values, terminal).list(filter, { limit: Math.min(PAGE, limit) });
  for await (const job of take(limit, jobs)) {
    terminal.out(values.json ? JSON.stringify(job) : jobLine(job));
  }
}
