import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type UploadRepresentation, uploadSchema } from '../../src/protocol/upload.ts';
import {
  ApiClient,
  type ApiRequest,
  type ApiResponse,
  jobOf,
  problemOf,
} from '../support/api-client.ts';
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

  describe('of an input that is uploaded', () => {
    // Around the places an input may be kept in, and beyond what a body takes.
    it.each([40, 512, 513, 8 * KIB, 8 * KIB + 1, 256 * KIB + 1, 400 * KIB, KIB * KIB, 8_000_000])(
      '%d bytes: they reach the agent unchanged',
      async (bytes) => {
        const value = text(bytes - ENVELOPE);
        const upload = await announced(JSON.stringify({ value }));
        expect((await put(upload, JSON.stringify({ value }))).status).toBe(200);

        const job = await api.finalJob(await submitted(upload));

        expect(job.status).toBe('succeeded');
        expect(await resultOf(job)).toEqual({ value });
        expect((await api.trace(job.jobId))[0]).toMatchObject({
          type: 'job.submitted',
          size: bytes,
        });
      },
    );

    it('is named by the refusal of a body that is too large', async () => {
      const problem = problemOf(await api.post({ agent: 'echo', input: text(2 * KIB * KIB) }));
      expect(problem).toMatchObject({ status: 413, code: 'payload_too_large' });
      expect(problem.detail).toContain('POST /uploads');
    });

    it('has a limit, which the refusal names', async () => {
      const facts = { sizeBytes: 48 * KIB * KIB + 1, sha256: 'a'.repeat(64) };
      const problem = problemOf(await api.send('/uploads', { method: 'POST', body: facts }));
      expect(problem).toMatchObject({
        code: 'payload_too_large',
        limit: { maximum: 48 * KIB * KIB, actual: 48 * KIB * KIB + 1, unit: 'bytes' },
      });
    });

    it('counts once under an idempotency key, however often it is uploaded', async () => {
      const json = JSON.stringify({ value: text(10_000) });
      const key = { headers: { 'idempotency-key': 'upload-once' } };
      const jobIds: string[] = [];
      for (let time = 1; time <= 2; time++) {
        const upload = await announced(json);
        await put(upload, json);
        jobIds.push(await submitted(upload, key), await submitted(upload, key));
      }
      expect(new Set(jobIds).size).toBe(1);
    });

    it.each([
      { name: 'nothing was uploaded', sent: null, code: 'upload_missing' },
      { name: 'another size was uploaded', sent: '{"value":22}', code: 'upload_mismatch' },
      { name: 'other bytes were uploaded', sent: '{"value":2}', code: 'upload_mismatch' },
    ])('makes no job when $name', async ({ sent, code }) => {
      const upload = await announced('{"value":1}');
      // S3 itself refuses what was not announced; an emulator takes it.
      if (sent !== null) await put(upload, sent).catch(() => undefined);
      const problem = problemOf(await submission(upload));
      expect(problem.status).toBe(422);
      expect([code, 'upload_missing']).toContain(problem.code);
    });

    it('makes no job when the agent does not take it', async () => {
      const json = '{"customer":{"name":""},"lines":[]}';
      const upload = await announced(json);
      await put(upload, json);
      const problem = problemOf(await submission(upload, {}, 'order'));
      expect(problem).toMatchObject({ status: 422, code: 'invalid_input' });
      expect(problem.errors?.map(({ pointer }) => pointer).sort()).toEqual([
        '/input/customer/name',
        '/input/lines',
      ]);
    });

    it('is nothing to another tenant', async () => {
      const upload = await announced('{"value":1}');
      await put(upload, '{"value":1}');
      const problem = problemOf(await submission(upload, { key: target.keys.globex }));
      expect(problem).toMatchObject({ status: 422, code: 'upload_missing' });
    });
  });

  async function announced(json: string): Promise<UploadRepresentation> {
    const sha256 = createHash('sha256').update(json).digest('hex');
    const body = { sizeBytes: Buffer.byteLength(json), sha256 };
    const response = await api.send('/uploads', { method: 'POST', body });
    return uploadSchema.strict().parse(JSON.parse(response.text));
  }

  const submission = (
    { inputRef }: UploadRepresentation,
    request: ApiRequest = {},
    agent = 'echo',
  ): Promise<ApiResponse> => api.post({ agent, inputRef }, request);

  const submitted = async (upload: UploadRepresentation, request: ApiRequest = {}) =>
    jobOf(await submission(upload, request), 202).jobId;
});

/** What a client does with the answer of `POST /uploads`; the length follows from the body. */
function put({ url, method, headers }: UploadRepresentation, body: string): Promise<Response> {
  const { 'content-length': _, ...others } = headers;
  return fetch(url, { method, headers: others, body });
}

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
