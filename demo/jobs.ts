import { setTimeout as delay } from 'node:timers/promises';
import { isFinal, type Job, type SubmittedJob, type TraceEntry } from '../client/index.ts';
import { expectThat } from './expect-that.ts';
import type { LocalCloud } from './local-cloud.ts';
import { print } from './print.ts';

/** A job whose agent gives back `Result`. */
export type JobOf<Result> = Omit<Job, 'result'> & { readonly result?: Result };

const POLL_MS = 50;

/** Waits for a submission and prints what came of it. */
export async function accepted(submitting: Promise<SubmittedJob>): Promise<SubmittedJob> {
  const startedAt = performance.now();
  const job = await submitting;
  print(`  202 Accepted after ${Math.round(performance.now() - startedAt)} ms`);
  print(`  jobId: ${job.jobId}`);
  return job;
}

export async function readJob<Result>(cloud: LocalCloud, jobId: string): Promise<JobOf<Result>> {
  return (await cloud.client.get(jobId)) as JobOf<Result>;
}

/** Looks at a job until it has a status; any other final status is a surprise. */
export async function untilStatus<Result>(
  cloud: LocalCloud,
  jobId: string,
  { status, limitMs, onLook }: UntilStatus<Result>,
): Promise<JobOf<Result>> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const job = await readJob<Result>(cloud, jobId);
    onLook?.(job);
    if (job.status === status) return job;
    const isOver = isFinal(job);
    expectThat(!isOver, `the job is ${job.status}, not ${status}: ${JSON.stringify(job.error)}`);
    expectThat(Date.now() < deadline, `the job is ${job.status}, not ${status}, in time`);
    await delay(POLL_MS);
  }
}

interface UntilStatus<Result> {
  readonly status: Job['status'];
  readonly limitMs: number;
  readonly onLook?: (job: JobOf<Result>) => void;
}

export async function readTrace(cloud: LocalCloud, jobId: string): Promise<TraceEntry[]> {
  const entries: TraceEntry[] = [];
  for await (const entry of cloud.client.trace(jobId)) entries.push(entry);
  return entries;
}

/** Entries of the trace that are of one type. */
export function entriesOf<Type extends TraceEntry['type']>(
  trace: readonly TraceEntry[],
  type: Type,
): Extract<TraceEntry, { type: Type }>[] {
  return trace.filter((entry): entry is Extract<TraceEntry, { type: Type }> => entry.type === type);
}
