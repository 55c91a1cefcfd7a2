import { LIMITS } from '../src/protocol/limits.ts';
import type { BatchOutcome } from './answers.ts';
import { pauseBeforeRetry } from './retry-policy.ts';
import { LonghaulError } from './errors.ts';
import type { RequestOptions } from './requests.ts';
import type { Submission } from './submission.ts';
import { sizeOf, withinSize } from './submit.ts';
import type { Transport } from './transport.ts';

type Keyed = Submission & { readonly idempotencyKey: string };

/** Submissions that one request takes. */
const MAX_ENTRIES = 100;
/** `{"jobs":[]}` */
const ENVELOPE_BYTES = 16;
/** One that is alone in its batch. */
const MAX_ENTRY_BYTES = LIMITS.bodyBytes - ENVELOPE_BYTES;

/** Submits any number of jobs, as many at a time as a request takes; the outcomes are in their order. */
export async function submitBatch(
  transport: Transport,
  submissions: readonly Submission[],
  { signal }: RequestOptions,
): Promise<BatchOutcome[]> {
  const outcomes: BatchOutcome[] = [];
  let part: Keyed[] = [];
  let bytes = ENVELOPE_BYTES;
  const flush = async () => {
    if (part.length > 0) outcomes.push(...(await submitPart(transport, part, signal)));
    part = [];
    bytes = ENVELOPE_BYTES;
  };
  for (const submission of submissions) {
    const entry = await withinSize(transport, submission, signal, MAX_ENTRY_BYTES);
    const entryBytes = sizeOf(entry) + 1;
    if (part.length === MAX_ENTRIES || bytes + entryBytes > LIMITS.bodyBytes) await flush();
    part.push(entry);
    bytes += entryBytes;
  }
  await flush();
  return outcomes;
}

/** Entries that may succeed later are sent again by themselves, under the keys they have. */
async function submitPart(
  transport: Transport,
  entries: readonly Keyed[],
  signal: AbortSignal | undefined,
): Promise<BatchOutcome[]> {
  const outcomes: BatchOutcome[] = [];
  let open = entries.map((_, index) => index);
  for (let tries = 1; ; tries++) {
    const jobs = open.map((index) => entries[index]);
    const request = { method: 'POST', path: '/jobs/batch', body: { jobs }, signal } as const;
    const answer = (await transport.send(request)).body as { outcomes: BatchOutcome[] };
    open.forEach((index, place) => {
      const outcome = answer.outcomes[place];
      if (outcome !== undefined) outcomes[index] = outcome;
    });
    open = open.filter((index) => isRetryable(outcomes[index]));
    const pauseMs = open.length === 0 ? undefined : pauseAfter(transport, tries);
    if (pauseMs === undefined) return outcomes;
    await transport.clock.delay(pauseMs, signal);
  }
}

function isRetryable(outcome: BatchOutcome | undefined): boolean {
  if (outcome === undefined || !('problem' in outcome)) return false;
  const { status, problem } = outcome;
  return status === 429 || status >= 500 || problem.code === 'idempotency_in_progress';
}

function pauseAfter({ policy, clock }: Transport, tries: number): number | undefined {
  const error = new LonghaulError('some entries were put off', {
    code: 'unavailable',
    retryable: true,
  });
  return pauseBeforeRetry(error, tries, { policy, random: clock.random });
}
