import { parseArgs } from 'node:util';
import type { BatchOutcome, Submission } from '../../client/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { exactly } from './arguments.ts';
import { API_OPTIONS, openApi } from './open-api.ts';
import { printable } from './printable.ts';
import { INPUT_OPTIONS, readJson } from './read-json.ts';

/** `batch`: a line for each submission, in their order; fails when one of them was refused. */
export async function batch(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ...API_OPTIONS, ...INPUT_OPTIONS },
  });
  exactly(positionals, []);
  const client = openApi(values, terminal);
  const submissions = submissionsOf(await readJson(values, terminal));
  const outcomes = await client.batch(submissions, {
    ...(terminal.signal && { signal: terminal.signal }),
  });
  for (const outcome of outcomes) {
    terminal.out(values.json ? JSON.stringify(outcome) : outcomeLine(outcome));
  }
  const refused = outcomes.filter((outcome) => 'problem' in outcome).length;
  terminal.note(`${outcomes.length - refused} accepted, ${refused} refused`);
  return refused > 0 ? EXIT.failed : EXIT.done;
}

/** A list of what `POST /jobs` takes. What is wrong with one of them the API says. */
function submissionsOf(json: string): readonly Submission[] {
  const given = JSON.parse(json) as unknown;
  const isList = Array.isArray(given) && given.every((one) => typeof one === 'object' && one);
  if (isList) return given as Submission[];
  throw new UsageError(
    'the input is no list of submissions: give [{"agent": "greet", "input": {…}}, …]',
  );
}

function outcomeLine(outcome: BatchOutcome): string {
  if ('job' in outcome) return outcome.job.jobId;
  const { code, detail } = outcome.problem;
  return printable(`- ${code}: ${detail}`);
}
