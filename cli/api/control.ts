import { parseArgs } from 'node:util';
import type { Job } from '../../client/index.ts';
import type { Command, Terminal } from '../terminal.ts';
import { exactly } from './arguments.ts';
import { statusText } from './job-text.ts';
import { API_OPTIONS, openApi } from './open-api.ts';

/** `cancel`, `pause` and `resume` */
export function control(name: 'cancel' | 'pause' | 'resume'): Command {
  return async (args, terminal) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: API_OPTIONS,
    });
    const [jobId] = exactly(positionals, ['<jobId>']);
    showJob(await openApi(values, terminal)[name](jobId), values, terminal);
  };
}

/** What a command has made of the job: its id for a script, its status for a person. */
export function showJob(job: Job, { json }: { readonly json: boolean }, terminal: Terminal): void {
  terminal.out(json ? JSON.stringify(job) : job.jobId);
  if (!json) terminal.note(`job ${job.jobId} is ${statusText(job)}`);
}
