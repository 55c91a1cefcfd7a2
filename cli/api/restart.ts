import type { Job, LonghaulClient } from '../../client/index.ts';
import type { ExitCode } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';
import { showJob } from './control.ts';
import { API_OPTIONS } from './open-api.ts';
import { watchJob } from './watch-job.ts';

/** What `retry` and `fork` both take. */
export const RESTART_OPTIONS = {
  ...API_OPTIONS,
  hint: { type: 'string' },
  'from-step': { type: 'string' },
  watch: { type: 'boolean', default: false },
} as const;

/** Follows the job that goes on, or shows it. */
export async function showRestarted(
  client: LonghaulClient,
  job: Job,
  { watch, json, terminal }: { watch: boolean; json: boolean; terminal: Terminal },
): Promise<ExitCode | undefined> {
  if (watch) return watchJob(client, { jobId: job.jobId, json }, terminal);
  showJob(job, { json }, terminal);
  return undefined;
}
