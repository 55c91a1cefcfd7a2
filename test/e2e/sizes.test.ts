import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ApiClient, jobOf } from '../support/api-client.ts';
import type { JobRepresentation } from '../../src/protocol/job.ts';
import { startTarget, type Target } from '../support/target.ts';

jest.setTimeout(300_000);

const KIB = 1024;
const ENVELOPE = '{"value":""}'.length;

/** Around every limit on the way: job item, own item, bucket, DynamoDB item, SQS message, API body. */
const SIZES = [
  511,
  512,
  513,
  8 * KIB - 1,
  8 * KIB,
  8 * KIB + 1,
  256 * KIB - 1,
  256 * KIB + 1,
  400 * KIB - 1,
  400 * KIB,
  400 * KIB + 1,
  KIB * KIB - 1,
  KIB * KIB,
  KIB * KIB + 1,
];

describe('sizes', () => {
  let target: Target;
  let api: ApiClient;

  beforeAll(async () => {
    target = await startTarget();
    api = new ApiClient(target);
  });

  afterAll(async () => {
    await target.stop();
  });

  // Peer fault 15: one store's limit lay above the other's, and what fell in between broke.
  it.each(SIZES)(
    'carries %d bytes through input, step outcome and result unchanged',
    async (bytes) => {
      const value = text(bytes - ENVELOPE);

      const job = await api.run('echo', { value });

      expect(job.status).toBe('succeeded');
      expect(await resultOf(job)).toEqual({ value });
      const steps = (await api.trace(job.jobId)).filter((entry) => entry.type === 'step.succeeded');
      expect(steps).toMatchObject([{ size: bytes - ENVELOPE + 2 }]);
      // The result has the size of the input: small ones come with the job, large ones by URL.
      expect(job.resultUrl === undefined).toBe(bytes <= 8 * KIB);
    },
  );

  it('carries bytes, not characters', async () => {
    const value = 'ü'.repeat(4 * KIB - ENVELOPE / 2);

    const job = await api.run('echo', { value });

    expect(job.result).toEqual({ value });
  });

  it('takes a body of exactly 2 MiB', async () => {
    const envelope = JSON.stringify({ agent: 'echo', input: { value: '' } }).length;
    const value = text(2 * KIB * KIB - envelope);

    const job = jobOf(await api.post({ agent: 'echo', input: { value } }), 202);

    expect(await resultOf(await api.finalJob(job.jobId))).toEqual({ value });
  });
});

/** Text of which each part differs, so that a part that is lost or doubled shows. */
function text(length: number): string {
  let all = '';
  for (let index = 0; all.length < length; index++) all += `${index.toString(36)}.`;
  return all.slice(0, length);
}

async function resultOf(job: JobRepresentation): Promise<unknown> {
  if (job.resultUrl === undefined) return job.result;
  expect(Date.parse(job.resultUrlExpiresAt ?? '')).toBeGreaterThan(Date.now());
  const response = await fetch(job.resultUrl);
  return response.json();
}
