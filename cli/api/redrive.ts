import { parseArgs } from 'node:util';
import { delay } from '../../client/delay.ts';
import type { LonghaulClient, RedriveOutcome, RedriveSelection } from '../../client/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { rateOf } from '../rate-of.ts';
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
      rate: { type: 'string' },
    },
  });
  const { all, agent, code, hint, rate } = values;
  const isFiltered = agent !== undefined || code !== undefined;
  if (all === jobIds.length > 0) throw new UsageError('give ids of jobs, or --all');
  if (!all && isFiltered) throw new UsageError('--agent and --code say which ones of --all');

  const pace = rate === undefined ? AS_FAST_AS_IT_GOES : paceOf(rateOf(rate), terminal);
  const client = openApi(values, terminal);
  const advice = { ...(hint !== undefined && { hint }) };
  const filter = { ...(agent !== undefined && { agent }), ...(code !== undefined && { code }) };
  const outcomes = all
    ? redriveAll(client, { all, ...filter, ...advice }, pace)
    : redriveJobs(client, { jobIds, ...advice }, pace);
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

/** How fast jobs are set going again: what they call may just have come back. */
interface Pace {
  /** Jobs that a request names at most. */
  readonly atOnce: number;
  /** Holds back what comes next. */
  readonly pause: (outcomes: readonly RedriveOutcome[]) => Promise<void>;
}

const AS_FAST_AS_IT_GOES: Pace = { atOnce: MOST, pause: () => Promise.resolve() };

function paceOf(jobsPerSecond: number, { signal, delay: wait = delay }: Terminal): Pace {
  return {
    atOnce: Math.min(Math.max(1, Math.floor(jobsPerSecond)), MOST),
    pause: (outcomes) => {
      const redriven = outcomes.filter(({ outcome }) => outcome === 'redriven').length;
      return wait((redriven / jobsPerSecond) * 1_000, signal);
    },
  };
}

/** In parts as large as a request takes. What one request did not get to comes first in the next. */
async function* redriveJobs(
  client: LonghaulClient,
  { jobIds, ...advice }: { readonly jobIds: readonly string[]; readonly hint?: string },
  { atOnce, pause }: Pace,
): Outcomes {
  let left = [...new Set(jobIds)];
  while (left.length > 0) {
    const part = left.slice(0, atOnce);
    const { outcomes, more } = await client.redrive({ jobIds: part, ...advice });
    yield* outcomes;
    const done = new Set(outcomes.map(({ jobId }) => jobId));
    if (more && done.size === 0) throw new Error('the API redrives nothing any more');
    left = left.filter((jobId) => !(more ? done.has(jobId) : part.includes(jobId)));
    if (left.length > 0) await pause(outcomes);
  }
}

async function* redriveAll(
  client: LonghaulClient,
  selection: RedriveSelection & { readonly all: true },
  { atOnce, pause }: Pace,
): Outcomes {
  let cursor: string | undefined;
  do {
    const { outcomes, next } = await client.redrive({
      ...selection,
      ...(atOnce < MOST && { limit: atOnce }),
      ...(cursor && { cursor }),
    });
    yield* outcomes;
    cursor = next;
    if (cursor !== undefined) await pause(outcomes);
  } while (cursor !== undefined);
}

function lineOf({ jobId, outcome, detail }: RedriveOutcome): string {
  return printable([jobId, outcome, ...(detail === undefined ? [] : [detail])].join('  '));
}
