import { LIMITS } from '../src/protocol/limits.ts';
import type { Job, SubmittedJob } from './answers.ts';
import type { Submission, SubmitOptions } from './submission.ts';
import type { Transport } from './transport.ts';
import { uploadInput } from './upload.ts';

export async function submitJob(
  transport: Transport,
  submission: Submission,
  { waitSeconds, signal }: SubmitOptions,
): Promise<SubmittedJob> {
  const { idempotencyKey, ...body } = await withinSize(transport, submission, signal);
  const headers = {
    'idempotency-key': idempotencyKey,
    ...(waitSeconds !== undefined && { prefer: `respond-async, wait=${waitSeconds}` }),
  };
  const answer = await transport.send({ method: 'POST', path: '/jobs', headers, body, signal });
  const replayed = answer.headers.get('idempotent-replayed') === 'true';
  return { ...(answer.body as Job), replayed };
}

/** The submission with a key, and with its input elsewhere if it is larger than a request may be. */
export async function withinSize(
  transport: Transport,
  submission: Submission,
  signal: AbortSignal | undefined,
  limitBytes: number = LIMITS.bodyBytes,
): Promise<Submission & { readonly idempotencyKey: string }> {
  const { idempotencyKey = crypto.randomUUID() } = submission;
  // In the body of a batch the key has a place, too.
  if (sizeOf({ ...submission, idempotencyKey }) <= limitBytes) {
    return { ...submission, idempotencyKey };
  }
  const { input, inputRef: _, ...fields } = submission;
  const inputRef = await uploadInput(transport, JSON.stringify(input), {
    ...(signal && { signal }),
  });
  return { ...fields, inputRef, idempotencyKey };
}

/** Bytes of a value as JSON. */
export function sizeOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).byteLength;
}
