import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { SubmittedJob } from '../client/index.ts';
import { expectThat } from './expect-that.ts';
import { accepted, entriesOf, type JobOf, readJob, readTrace } from './jobs.ts';
import type { LocalCloud } from './local-cloud.ts';
import { print, printList, printTable, seconds } from './print.ts';
import { killedEnvironment, killWorkerAtCall, latestEnvironment } from './worker-crash.ts';

const DOCUMENT = 'node_modules/aws-cdk-lib/aws-lambda/README.md';
const TITLE = 'AWS Lambda Construct Library';

/**
 * The request to AWS at which the worker is killed. It makes three before the first step (manifest, claim, input), then
 * one for each journal page, which holds about four steps: after the fourth page 16 of 26 steps are done. Killing it by
 * hand would come too late, since all pages take a tenth of a second.
 */
const FATAL_CALL = 7;
const POLL_MS = 10;
const END_LIMIT_MS = 45_000;

interface Summary {
  readonly summary: readonly string[];
  readonly pages: number;
  readonly sections: number;
  readonly sentences: number;
}
type SummaryJob = JobOf<Summary>;

/** A document is summarised page by page; half-way the worker that holds the job is killed. */
export async function summarizeDocumentDemo(cloud: LocalCloud): Promise<void> {
  const text = readFileSync(new URL(`../${DOCUMENT}`, import.meta.url), 'utf8');
  const submission = {
    agent: 'summarize-document',
    input: { title: TITLE, text },
    idempotencyKey: `demo-${process.pid}-${Date.now()}`,
  };

  // The first request starts the function; what follows is to show jobs, not cold starts.
  const { ok } = await fetch(`${cloud.apiUrl}/healthz`);
  expectThat(ok, 'the API does not answer');
  await killWorkerAtCall(cloud, FATAL_CALL);
  print();
  print(`Submit ${DOCUMENT} (${Math.round(Buffer.byteLength(text) / 1024)} KB)`);
  const { jobId } = await accepted(cloud.client.submit(submission));
  print();
  print(`Watch it; its worker is to be killed half-way, at request ${FATAL_CALL} to AWS`);
  const job = await watch(cloud, jobId);
  showResult(job);
  await showTrace(cloud, job);
  await submitAgain(cloud.client.submit(submission), jobId);
}

/** Polls the job to its end and prints what changes. */
async function watch(cloud: LocalCloud, jobId: string): Promise<SummaryJob> {
  const startedAt = Date.now();
  const say = (line: string) => {
    print(`  ${seconds(Date.now() - startedAt)}  ${line}`);
  };
  let shown = '';
  let killed: string | undefined;
  while (Date.now() - startedAt < END_LIMIT_MS) {
    const job = await readJob<Summary>(cloud, jobId);
    expectThat(job.status !== 'failed', `the job failed: ${JSON.stringify(job.error)}`);
    const now = describeProgress(job);
    if (now !== shown) say(now);
    shown = now;
    if (killed === undefined && (killed = await killedEnvironment(cloud, FATAL_CALL))) {
      say(`KILLED: the worker environment that held the job, ${killed}`);
      say('nobody holds the job until its lease runs out; then the sweeper hands it on');
    }
    if (job.status === 'succeeded') {
      expectThat(killed !== undefined, 'the job ended before its worker was killed');
      const heir = await latestEnvironment(cloud);
      expectThat(heir !== undefined && heir !== killed, 'the job did not go on elsewhere');
      say(`succeeded in attempt ${job.attempts}, on environment ${heir}`);
      return job;
    }
    await delay(POLL_MS);
  }
  expectThat(false, `the job did not end within ${END_LIMIT_MS / 1000} s`);
}

function describeProgress({ status, progress }: SummaryJob): string {
  if (progress === undefined) return status;
  return `${String(progress.completed ?? 0).padStart(2)} of ${progress.total ?? 0} pages are done`;
}

function showResult({ result }: SummaryJob): void {
  expectThat(result !== undefined, 'the job succeeded without a result');
  const { summary, pages, sections, sentences } = result;
  expectThat(summary.length >= 5, `the summary has ${summary.length} sentences`);
  print();
  print(`The summary, of ${pages} pages, ${sections} sections and ${sentences} sentences`);
  printList(summary);
}

/** Prints each step and checks that none of them ran again after the kill. */
async function showTrace(cloud: LocalCloud, { jobId, result }: SummaryJob): Promise<void> {
  const trace = await readTrace(cloud, jobId);
  const done = entriesOf(trace, 'step.succeeded');
  print();
  print('The trace: each step with its try, the attempt that ran it, and how long it took');
  printTable(
    ['step', 'try', 'attempt', 'duration', 'outcome'],
    [...done, ...entriesOf(trace, 'step.failed')]
      .toSorted((a, b) => trace.indexOf(a) - trace.indexOf(b))
      .map((entry) => [
        entry.step,
        String(entry.try),
        String(entry.attempt),
        `${entry.durationMs} ms`,
        entry.type.replace('step.', ''),
      ]),
  );
  const names = new Set(done.map(({ step }) => step));
  const expected = (result?.pages ?? 0) + 1;
  expectThat(names.size === expected, `${names.size} steps succeeded, not ${expected}`);
  expectThat(done.length === names.size, 'a step is recorded twice');
  const first = done.filter(({ attempt }) => attempt === 1).length;
  expectThat(first > 0 && first < expected, `attempt 1 recorded ${first} of ${expected} steps`);
  print(`  ${first} steps were recorded before the kill and did not run again; attempt 2 ran the`);
  print(`  other ${expected - first}. Each step has exactly one outcome.`);
}

async function submitAgain(submitting: Promise<SubmittedJob>, jobId: string): Promise<void> {
  const again = await submitting;
  expectThat(again.jobId === jobId, `the same key made a second job, ${again.jobId}`);
  expectThat(again.replayed, 'the answer does not say that it was given before');
  print();
  print('Submit the same again, with the same Idempotency-Key');
  print(`  202 Accepted, Idempotent-Replayed: true, the same job: ${again.jobId}`);
}
