import { parseArgs } from 'node:util';
import type { LonghaulClient, RedriveOutcome, RedriveSelection } from '../../client/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { API_OPTIONS, openApi } from './open-api.ts';
import { printable } from './printable.ts';

/** Jobs that one request takes. */
const MOST = 100;

/** `redrive`: fails when one of the jobs could not be redriven. */
export async function redrive(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values, positionals: jobIds } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...API_OPTIONS,
      all: { type: 'boolean', default: false },
      agent: { type: 'string' },
      code: { type: 'string' },
      hint: { type: 'string' },
    },
  });
  const { all, agent, code, hint } = values;
  const isFiltered = agent !== undefined || code !== undefined;
  if (all === jobIds.length > 0) throw new UsageError('give ids of jobs, or --all');
  if (!all && isFiltered) throw new UsageError('--agent and --code say which ones of --all');

  const client = openApi(values, terminal);
  const advice = { ...(hint !== undefined && { hint }) };
  const filter = { ...(agent !== undefined && { agent }), ...(code !== undefined && { code }) };
  const outcomes = all
    ? redriveAll(client, { all, ...filter, ...advice })
    : redriveJobs(client, jobIds, advice);
  const counts = new Map<RedriveOutcome['outcome'], number>();
  for await (const outcome of outcomes) {
    counts.set(outcome.outcome, (counts.get(outcome.outcome) ?? 0) + 1);
    terminal.out(values.json ? JSON.stringify(outcome) : lineOf(outcome));
  }
  const summary = [...counts].map(([outcome, count]) => `${count} ${outcome.replace('_', ' ')}`);
  terminal.note(summary.length === 0 ? 'there is no dead letter' : summary.join(', '));
  return counts.has('refused') || counts.has('not_found') ? EXIT.failed : EXIT.done;
}

type Outcomes = AsyncGenerator<RedriveOutcome, void>;

/** In parts as large as a request takes. What one request did not get to comes first in the next. */
async function* redriveJobs(
  client: LonghaulClient,
  jobIds: readonly string[],
  advice: { readonly hint?: string },
): Outcomes {
  let left = [...new Set(jobIds)];
  while (left.length > 0) {
    const part = left.slice(0, MOST);
    const { outcomes, more } = await client.redrive({ jobIds: part, ...advice });
    yield* outcomes;
    const done = new Set(outcomes.map(({ jobId }) => jobId));
    if (more && done.size === 0) throw new Error('the API redrives nothing any more');
    left = left.filter((jobId) => !(more ? done.has(jobId) : part.includes(jobId)));
  }
}

async function* redriveAll(
  client: LonghaulClient,
  selection: RedriveSelection & { readonly all: true },
): Outcomes {
  let cursor: string | undefined;
  do {
    const { outcomes, next } = await client.redrive({ ...selection, ...(cursor && { cursor }) });
    yield* outcomes;
    cursor = next;
  } while (cursor !== undefined);
}

function lineOf({ jobId, outcome, detail }: RedriveOutcome): string {
  return printable([jobId, outcome, ...(detail === undefined ? [] : [detail])].join('  '));
}
