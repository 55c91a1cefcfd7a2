import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, expectStatus, expectThat, send } from './http.ts';
import type { LocalCloud } from './local-cloud.ts';
import { print, printList, printTable, seconds } from './print.ts';
import { crashWorkerAtCall, killedEnvironment } from './worker-crash.ts';

const DOCUMENT = 'node_modules/aws-cdk-lib/aws-lambda/README.md';
const TITLE = 'AWS Lambda Construct Library';

/**
 * Requests to AWS after which the worker is killed: manifest, claim, input, and four journal pages of about four steps
 * each, of seven. A person's kill -9 would come too late, since the pages take a tenth of a second.
 */
const FATAL_CALL = 7;
const POLL_MS = 10;
const END_LIMIT_MS = 45_000;

interface Job {
  readonly jobId: string;
  readonly status: string;
  readonly attempts: number;
  readonly progress?: { readonly completed: number; readonly total: number };
  readonly result?: {
    readonly summary: readonly string[];
    readonly pages: number;
    readonly sections: number;
    readonly sentences: number;
  };
  readonly error?: { readonly code: string; readonly message: string };
}

interface TraceEntry {
  readonly type: string;
  readonly attempt: number;
  readonly step?: string;
  readonly try?: number;
  readonly durationMs?: number;
}

/** A document is summarised page by page; half-way the worker that holds the job is killed. */
export async function summarizeDocumentDemo(cloud: LocalCloud): Promise<void> {
  const text = readFileSync(new URL(`../${DOCUMENT}`, import.meta.url), 'utf8');
  const key = `demo-${process.pid}-${Date.now()}`;
  const submit = () =>
    send(`${cloud.apiUrl}/jobs`, {
      method: 'POST',
      headers: { ...authorization(cloud), 'idempotency-key': key },
      body: { agent: 'summarize-document', input: { title: TITLE, text } },
    });

  await crashWorkerAtCall(cloud, FATAL_CALL);
  print();
  print(`Submit ${DOCUMENT} (${Math.round(Buffer.byteLength(text) / 1024)} KB)`);
  const { jobId, location } = await accepted(submit);
  print();
  print('Watch it');
  const job = await watch(cloud, location);
  showResult(job);
  await showTrace(cloud, location, job);
  await submitAgain(submit, jobId);
}

async function accepted(submit: () => Promise<Answer>) {
  const startedAt = performance.now();
  const answer = await submit();
  const { jobId } = expectStatus(answer, 202, 'POST /jobs') as Job;
  const location = answer.headers.get('location');
  expectThat(location !== null, 'the answer to POST /jobs has no Location');
  print(`  202 Accepted after ${Math.round(performance.now() - startedAt)} ms`);
  print(`  Location: ${location}`);
  print(`  jobId:    ${jobId}`);
  return { jobId, location };
}

/** Polls the job to its end and prints what changes. */
async function watch(cloud: LocalCloud, location: string): Promise<Job> {
  const startedAt = Date.now();
  const say = (line: string) => {
    print(`  ${seconds(Date.now() - startedAt)}  ${line}`);
  };
  let shown = '';
  let killed: string | undefined;
  while (Date.now() - startedAt < END_LIMIT_MS) {
    const job = await readJob(cloud, location);
    const now = job.progress
      ? `page ${String(job.progress.completed).padStart(2)} of ${job.progress.total} is done`
      : job.status;
    if (now !== shown) say(now);
    shown = now;
    if (job.status === 'succeeded') {
      say(`succeeded, in attempt ${job.attempts}`);
      return job;
    }
    expectThat(job.status !== 'failed', `the job failed: ${JSON.stringify(job.error)}`);
    if (killed === undefined && (killed = await killedEnvironment(cloud)) !== undefined) {
      say(`the worker environment that holds the job (${killed}) has been killed`);
      say(`its lease runs out, the sweeper finds the job and gives it to another environment`);
    }
    await delay(POLL_MS);
  }
  expectThat(false, `the job did not end within ${END_LIMIT_MS / 1000} s`);
}

async function readJob(cloud: LocalCloud, location: string): Promise<Job> {
  const url = new URL(location, cloud.apiUrl).href;
  return expectStatus(await send(url, { headers: authorization(cloud) }), 200, 'GET job') as Job;
}

function showResult({ result }: Job): void {
  expectThat(result !== undefined, 'the job succeeded without a result');
  const { summary, pages, sections, sentences } = result;
  expectThat(summary.length >= 5, `the summary has ${summary.length} sentences`);
  print();
  print(`The summary, of ${pages} pages, ${sections} sections and ${sentences} sentences`);
  printList(summary);
}

/** Prints each step and checks that none of them ran again after the kill. */
async function showTrace(cloud: LocalCloud, location: string, { result }: Job): Promise<void> {
  const steps = (await readTrace(cloud, location)).filter(({ step }) => step !== undefined);
  print();
  print('The trace: each step with its try, the attempt that ran it, and how long it took');
  printTable(
    ['step', 'try', 'attempt', 'duration', 'outcome'],
    steps
      .filter(({ type }) => type !== 'step.started')
      .map((entry) => [
        entry.step ?? '',
        String(entry.try),
        String(entry.attempt),
        `${entry.durationMs ?? 0} ms`,
        entry.type.replace('step.', ''),
      ]),
  );
  const done = steps.filter(({ type }) => type === 'step.succeeded');
  const names = new Set(done.map(({ step }) => step));
  const expected = (result?.pages ?? 0) + 1;
  expectThat(names.size === expected, `${names.size} steps succeeded, not ${expected}`);
  expectThat(done.length === names.size, 'a step is recorded twice');
  const first = done.filter(({ attempt }) => attempt === 1).length;
  expectThat(first > 0 && first < expected, `attempt 1 recorded ${first} of ${expected} steps`);
  print(`  ${first} steps were recorded before the kill and did not run again; attempt 2 ran the`);
  print(`  other ${expected - first}. Each step has exactly one outcome.`);
}

async function readTrace(cloud: LocalCloud, location: string): Promise<TraceEntry[]> {
  const entries: TraceEntry[] = [];
  const url = new URL(`${location}/trace`, cloud.apiUrl);
  for (;;) {
    const answer = await send(url.href, { headers: authorization(cloud) });
    const page = expectStatus(answer, 200, 'GET trace') as { entries: TraceEntry[]; next?: string };
    entries.push(...page.entries);
    if (page.next === undefined) return entries;
    url.searchParams.set('cursor', page.next);
  }
}

async function submitAgain(submit: () => Promise<Answer>, jobId: string): Promise<void> {
  const answer = await submit();
  const again = expectStatus(answer, 202, 'the second POST /jobs') as Job;
  const replayed = answer.headers.get('idempotent-replayed');
  expectThat(again.jobId === jobId, `the same key made a second job, ${again.jobId}`);
  expectThat(replayed === 'true', `Idempotent-Replayed is ${String(replayed)}`);
  print();
  print('Submit the same again, with the same Idempotency-Key');
  print(`  202 Accepted, Idempotent-Replayed: true, the same job: ${again.jobId}`);
}

function authorization(cloud: LocalCloud): Record<string, string> {
  return { authorization: `Bearer ${cloud.keys.acme}` };
}
