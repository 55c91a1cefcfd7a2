import { isFinal, type Job } from './answers.ts';
import { LonghaulError, WaitTimeoutError } from './errors.ts';
import { retryAfterOf } from './failed-answer.ts';
import { pathSegment } from './path-segment.ts';
import type { WaitOptions } from './requests.ts';
import { streamEvents } from './stream-events.ts';
import type { Transport } from './transport.ts';

/** Where the API does not say when to ask again. */
const POLL_MS = 2_000;

/** The job once it has ended: told by its events, or where there are none to be had, by asking when the API says so. */
export async function waitForJob(
  transport: Transport,
  jobId: string,
  { timeoutMs, signal }: WaitOptions,
): Promise<Job> {
  if (timeoutMs === undefined) return untilFinal(transport, jobId, signal, () => undefined);
  let last: Job | undefined;
  const limit = new AbortController();
  const timer = setTimeout(() => {
    limit.abort(new WaitTimeoutError(jobId, timeoutMs, last));
  }, timeoutMs);
  const either = signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]);
  try {
    return await untilFinal(transport, jobId, either, (job) => void (last = job));
  } finally {
    clearTimeout(timer);
  }
}

async function untilFinal(
  transport: Transport,
  jobId: string,
  signal: AbortSignal | undefined,
  onJob: (job: Job) => void,
): Promise<Job> {
  let isStreaming = true;
  for (;;) {
    const { job, pauseMs } = await readJob(transport, jobId, signal);
    onJob(job);
    if (isFinal(job)) return job;
    if (isStreaming) isStreaming = await untilFinalEvent(transport, jobId, signal);
    else await transport.clock.delay(pauseMs * (1 + transport.clock.random() / 4), signal);
  }
}

async function readJob(transport: Transport, jobId: string, signal: AbortSignal | undefined) {
  const path = `/jobs/${pathSegment(jobId, 'jobId')}`;
  const { body, headers } = await transport.send({ method: 'GET', path, signal });
  const pauseMs = retryAfterOf(headers.get('retry-after')) ?? POLL_MS;
  return { job: body as Job, pauseMs };
}

/** Whether events led to the end; if not, there are none to be had now. */
async function untilFinalEvent(
  transport: Transport,
  jobId: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    // What happens meanwhile is of no interest here.
    for await (const _ of streamEvents({ transport, jobId, signal, isPatient: false })) continue;
    return true;
  } catch (error) {
    if (signal?.aborted !== true && error instanceof LonghaulError) return false;
    throw error;
  }
}
