import type { Job } from './answers.ts';
import { JobCancelledError, JobFailedError, LonghaulError } from './errors.ts';
import { failedAnswer } from './failed-answer.ts';
import { parsedJson } from './parsed-json.ts';
import { withRetries } from './retry-policy.ts';
import type { Transport } from './transport.ts';

/**
 * The result of a job that has ended, fetched if it is kept in the bucket.
 * @throws JobFailedError, JobCancelledError when it has none
 */
export async function resultOf(
  transport: Transport,
  job: Job,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  if (job.status === 'failed') throw new JobFailedError(job);
  if (job.status === 'cancelled') throw new JobCancelledError(job);
  const { resultUrl } = job;
  if (resultUrl === undefined) return job.result;
  const retrying = { ...transport.clock, policy: transport.policy, signal };
  return withRetries(() => fetchResult(transport, resultUrl, signal), retrying);
}

/** Without the credential: the URL is one itself, for a quarter of an hour. */
async function fetchResult(
  transport: Transport,
  url: string,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  try {
    const response = await transport.fetch(url, signal === undefined ? {} : { signal });
    const text = await response.text();
    if (!response.ok) throw failedAnswer(response, parsedJson(text), 'the GET of the result');
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof LonghaulError) throw error;
    throw transport.explained(error, { method: 'GET', path: 'of the result', signal });
  }
}
