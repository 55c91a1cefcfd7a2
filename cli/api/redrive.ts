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
  if (all && hint !== undefined) throw new UsageError('--hint is for jobs that are named');

  const client = openApi(values, terminal);
  const filter = { ...(agent !== undefined && { agent }), ...(code !== undefined && { code }) };
  const counts = new Map<RedriveOutcome['outcome'], number>();
  const selections = all ? [{ all, ...filter } as const] : inParts(jobIds, hint);
  for (const selection of selections) {
    for await (const outcome of outcomesOf(client, selection)) {
      counts.set(outcome.outcome, (counts.get(outcome.outcome) ?? 0) + 1);
      terminal.out(values.json ? JSON.stringify(outcome) : lineOf(outcome));
    }
  }
  const summary = [...counts].map(([outcome, count]) => `${count} ${outcome.replace('_', ' ')}`);
  terminal.note(summary.length === 0 ? 'there is no dead letter' : summary.join(', '));
  return counts.has('refused') || counts.has('not_found') ? EXIT.failed : EXIT.done;
}

function inParts(jobIds: readonly string[], hint: string | undefined): RedriveSelection[] {
  const parts: RedriveSelection[] = [];
  for (let at = 0; at < jobIds.length; at += MOST) {
    parts.push({ jobIds: jobIds.slice(at, at + MOST), ...(hint !== undefined && { hint }) });
  }
  return parts;
}

/** All that one selection means; a part that redrives nothing ends it, or it might go on for ever. */
async function* outcomesOf(
  client: LonghaulClient,
  selection: RedriveSelection,
): AsyncGenerator<RedriveOutcome, void> {
  for (;;) {
    const { outcomes, more } = await client.redrive(selection);
    yield* outcomes;
    if (!more || !outcomes.some(({ outcome }) => outcome === 'redriven')) return;
  }
}

function lineOf({ jobId, outcome, detail }: RedriveOutcome): string {
  return printable([jobId, outcome, ...(detail === undefined ? [] : [detail])].join('  '));
}
