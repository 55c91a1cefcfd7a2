import { setTimeout as delay } from 'node:timers/promises';
import {
  isFinal,
  type Job,
  LonghaulError,
  type LonghaulClient,
  WaitTimeoutError,
} from '../../client/index.ts';
import { EXIT, type ExitCode, exitCodeOf } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';
import { jobText } from './job-text.ts';
import { jsonReport, lineReport, type Report, screenReport } from './watch-report.ts';

export interface Watching {
  readonly jobId: string;
  readonly json: boolean;
  /** Id of the event to begin behind. */
  readonly after?: string;
  readonly timeoutMs?: number;
}

interface Watcher {
  readonly client: LonghaulClient;
  readonly report: Report;
  readonly signal: AbortSignal;
}

const POLL_MS = 2_000;

/** Shows what happens in a job until it has ended, or until the user has seen enough. */
export async function watchJob(
  client: LonghaulClient,
  watching: Watching,
  terminal: Terminal,
): Promise<ExitCode> {
  const { jobId, json } = watching;
  const limit = timeLimit(watching, terminal);
  try {
    const { signal } = limit;
    const report = reportOf(json, await client.get(jobId, { signal }), terminal);
    const job = await follow({ client, report, signal }, watching, terminal).finally(() => {
      report.end();
    });
    terminal.out(json ? JSON.stringify(job) : jobText(job));
    return exitCodeOf(job);
  } catch (error) {
    if (terminal.signal?.aborted !== true) throw error;
    terminal.note(`the job goes on: longhaul watch ${jobId}`);
    return EXIT.interrupted;
  } finally {
    limit.clear();
  }
}

/** To the end by its events; where no stream is to be had, by asking how the job is. */
async function follow(watcher: Watcher, watching: Watching, terminal: Terminal): Promise<Job> {
  const { client, report, signal } = watcher;
  const { jobId, after } = watching;
  try {
    const options = { signal, ...(after !== undefined && { after }) };
    for await (const event of client.events(jobId, options)) report.event(event);
  } catch (error) {
    if (signal.aborted || !(error instanceof LonghaulError) || !error.retryable) throw error;
    report.end();
    terminal.note(`the job is asked for its progress, since there are no events: ${error.message}`);
  }
  for (;;) {
    const job = await client.get(jobId, { signal });
    if (isFinal(job)) return job;
    report.job(job);
    await delay(POLL_MS, undefined, { signal });
  }
}

function reportOf(json: boolean, job: Job, terminal: Terminal): Report {
  if (json) return jsonReport(terminal);
  const { screen } = terminal;
  return screen === undefined ? lineReport(terminal) : screenReport(screen, terminal, job);
}

function timeLimit({ jobId, timeoutMs }: Watching, { signal }: Terminal) {
  const limit = new AbortController();
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          limit.abort(new WaitTimeoutError(jobId, timeoutMs));
        }, timeoutMs);
  return {
    signal: signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]),
    clear: () => {
      clearTimeout(timer);
    },
  };
}
