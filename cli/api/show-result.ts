import type { Job, LonghaulClient } from '../../client/index.ts';
import { EXIT, type ExitCode, exitCodeOf } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';
import { jobText } from './job-text.ts';
import { indented } from './printable.ts';

/** Shows what came of a job: its result, and nothing else, for a script to read; or else why there is none. */
export async function showResult(
  client: LonghaulClient,
  job: Job,
  { json }: { readonly json: boolean },
  terminal: Terminal,
): Promise<ExitCode> {
  if (json) {
    terminal.out(JSON.stringify(job));
    return exitCodeOf(job);
  }
  if (job.status !== 'succeeded') {
    terminal.note(jobText(job));
    return exitCodeOf(job);
  }
  const { signal } = terminal;
  terminal.out(indented(await client.result(job.jobId, { ...(signal && { signal }) })));
  return EXIT.done;
}
