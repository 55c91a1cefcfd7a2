import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, expectStatus, expectThat, send } from './http.ts';
import type { LocalCloud } from './local-cloud.ts';
import { print } from './print.ts';

/** A job as the API shows it; `Result` is what its agent gives back. */
export interface Job<Result> {
  readonly jobId: string;
  readonly status: string;
  readonly attempts: number;
  readonly waitingFor?: { readonly reason: string; readonly until?: string };
  readonly progress?: { readonly completed?: number; readonly total?: number };
  readonly result?: Result;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface TraceEntry {
  readonly type: string;
  readonly at: string;
  readonly attempt: number;
  readonly step?: string;
  readonly try?: number;
  readonly durationMs?: number;
  readonly childId?: string;
  readonly status?: string;
}

/** Where a job that was accepted is found. */
export interface Accepted {
  readonly jobId: string;
  readonly location: string;
}

const POLL_MS = 50;

export interface Submission {
  readonly agent: string;
  readonly input: unknown;
  readonly idempotencyKey?: string;
}

export function submit(cloud: LocalCloud, submission: Submission): Promise<Answer> {
  const { agent, input, idempotencyKey } = submission;
  const key = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
  return send(`${cloud.apiUrl}/jobs`, {
    method: 'POST',
    headers: { ...authorization(cloud), ...key },
    body: { agent, input },
  });
}

/** Submits and prints what came of it. */
export async function accepted(answering: Promise<Answer>): Promise<Accepted> {
  const startedAt = performance.now();
  const answer = await answering;
  const { jobId } = expectStatus(answer, 202, 'POST /jobs') as Accepted;
  const location = answer.headers.get('location');
  expectThat(location !== null, 'the answer to POST /jobs has no Location');
  print(`  202 Accepted after ${Math.round(performance.now() - startedAt)} ms`);
  print(`  Location: ${location}`);
  print(`  jobId:    ${jobId}`);
  return { jobId, location };
}

export async function readJob<Result>(cloud: LocalCloud, location: string): Promise<Job<Result>> {
  const url = new URL(location, cloud.apiUrl).href;
  const answer = await send(url, { headers: authorization(cloud) });
  return expectStatus(answer, 200, 'GET job') as Job<Result>;
}

/** Polls a job until it has a status; any other final status is a surprise. */
export async function untilStatus<Result>(
  cloud: LocalCloud,
  location: string,
  { status, limitMs, onLook }: UntilStatus<Result>,
): Promise<Job<Result>> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const job = await readJob<Result>(cloud, location);
    onLook?.(job);
    if (job.status === status) return job;
    const isOver = ['succeeded', 'failed', 'cancelled'].includes(job.status);
    expectThat(!isOver, `the job is ${job.status}, not ${status}: ${JSON.stringify(job.error)}`);
    expectThat(Date.now() < deadline, `the job is ${job.status}, not ${status}, in time`);
    await delay(POLL_MS);
  }
}

interface UntilStatus<Result> {
  readonly status: string;
  readonly limitMs: number;
  readonly onLook?: (job: Job<Result>) => void;
}

export async function readTrace(cloud: LocalCloud, location: string): Promise<TraceEntry[]> {
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

/** Sends a signal to a job. */
export function signal(
  cloud: LocalCloud,
  { location, name, body }: { location: string; name: string; body: unknown },
): Promise<Answer> {
  const url = new URL(`${location}/signals/${name}`, cloud.apiUrl).href;
  return send(url, { method: 'POST', headers: authorization(cloud), body });
}

function authorization(cloud: LocalCloud): Record<string, string> {
  return { authorization: `Bearer ${cloud.keys.acme}` };
}
