import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { httpHandler } from '../../../lambdas/http/http-handler.ts';
import { uploadRoute } from '../../../lambdas/http/upload-route.ts';
import { memoryPayloadStore } from '../../../src/adapters/memory/payload-store.ts';
import { systemIdSource } from '../../../src/adapters/system/id-source.ts';
import { uploadKey } from '../../../src/core/job/payload-keys.ts';
import { parseUploadId } from '../../../src/core/job/upload.ts';
import { LIMITS as CORE_LIMITS } from '../../../src/core/policy/limits.ts';
import { LIMITS } from '../../../src/protocol/limits.ts';
import { uploadSchema } from '../../../src/protocol/upload.ts';
import { NOON } from '../../support/builders.ts';
import { memoryRunOnce } from '../../support/command-world.ts';
import {
  anEvent,
  bodyOf,
  LAMBDA_CONTEXT,
  recordingTelemetry,
  type RequestParts,
} from '../../support/http.ts';
import { submitWorld } from '../../support/submit-world.ts';

const INPUT = '{ "value":  1.0 }';
const KEY = { headers: { 'idempotency-key': 'k' } };
const GLOBEX = { caller: { tenantId: 'globex', scopes: 'jobs:write' } };

function uploadsWorld() {
  const payloads = memoryPayloadStore();
  const submit = submitWorld({ payloads, runOnce: memoryRunOnce() });
  const handler = httpHandler(
    recordingTelemetry(),
    uploadRoute({ payloads, ids: systemIdSource, clock: { now: () => NOON } }),
  );
  const announce = (body: unknown, parts: RequestParts = {}): Promise<APIGatewayProxyResult> =>
    handler(
      anEvent({ resource: '/uploads', body: JSON.stringify(body), ...parts }),
      LAMBDA_CONTEXT,
    );
  return {
    ...submit,
    payloads,
    announce,
    /** Announces `text` and, unless told otherwise, uploads it. */
    upload: async (text: string, put: string | null = text): Promise<string> => {
      const { uploadId } = uploadSchema.parse(bodyOf(await announce(factsOf(text))));
      if (put !== null) await payloads.put(uploadKey({ tenantId: 'acme', uploadId }), put);
      return uploadId;
    },
    submitRef: (uploadId: string, parts: RequestParts = {}, more: object = {}) =>
      submit.submit({ agent: 'echo', inputRef: { uploadId }, ...more }, parts),
  };
}

function factsOf(text: string) {
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { sizeBytes: Buffer.byteLength(text), sha256 };
}

describe('POST /uploads', () => {
  it('answers where to PUT what was announced, and how to submit it', async () => {
    const { announce } = uploadsWorld();

    const result = await announce(factsOf(INPUT));

    const body = uploadSchema.strict().parse(bodyOf(result));
    expect(result.statusCode).toBe(201);
    expect(body).toMatchObject({
      method: 'PUT',
      inputRef: { uploadId: body.uploadId },
      expiresAt: new Date(NOON + 900_000).toISOString(),
    });
    expect(body.url).toContain(`uploads/acme/${body.uploadId}`);
    expect(parseUploadId(body.uploadId)).toEqual(factsOf(INPUT));
  });

  it('gives another place every time', async () => {
    const { announce } = uploadsWorld();
    const ids = await Promise.all([1, 2].map(() => announce(factsOf(INPUT))));
    expect(new Set(ids.map((result) => bodyOf(result).uploadId)).size).toBe(2);
  });

  it.each([
    { name: 'no size', body: { sha256: 'a'.repeat(64) }, pointer: '/sizeBytes' },
    { name: 'no bytes', body: { sizeBytes: 0, sha256: 'a'.repeat(64) }, pointer: '/sizeBytes' },
    {
      name: 'half a byte',
      body: { sizeBytes: 0.5, sha256: 'a'.repeat(64) },
      pointer: '/sizeBytes',
    },
    {
      name: 'a hash in Base64',
      body: { sizeBytes: 1, sha256: '47DEQpj8HBSa' },
      pointer: '/sha256',
    },
    {
      name: 'an unknown field',
      body: { ...factsOf(INPUT), type: 'text' },
      pointer: '/type',
    },
  ])('refuses $name', async ({ body, pointer }) => {
    const { announce } = uploadsWorld();
    const problem = bodyOf(await announce(body));
    expect(problem).toMatchObject({
      status: 400,
      code: 'invalid_request',
      errors: [{ pointer }],
    });
  });

  it('takes the largest payload there may be, and not a byte more', async () => {
    const { announce } = uploadsWorld();
    const { sha256 } = factsOf(INPUT);
    expect(LIMITS.uploadBytes).toBe(CORE_LIMITS.payloadBytes);
    const most = await announce({ sizeBytes: LIMITS.uploadBytes, sha256 });
    const more = await announce({ sizeBytes: LIMITS.uploadBytes + 1, sha256 });

    expect(most.statusCode).toBe(201);
    expect(bodyOf(more)).toMatchObject({
      status: 413,
      code: 'payload_too_large',
      limit: { maximum: 50_331_648, actual: 50_331_649, unit: 'bytes' },
    });
  });

  it('needs the scope jobs:write', async () => {
    const { announce } = uploadsWorld();
    const caller = { tenantId: 'acme', scopes: 'jobs:read ops' };
    expect(bodyOf(await announce(factsOf(INPUT), { caller }))).toMatchObject({ status: 403 });
  });
});

describe('submitting an upload', () => {
  it.each([
    { name: 'small one', value: 'x', kind: 'inline' },
    { name: 'one above 512 bytes', value: 'x'.repeat(600), kind: 'item' },
    { name: 'one above 8 KB', value: 'x'.repeat(9_000), kind: 's3' },
  ])('keeps a $name byte for byte', async ({ value, kind }) => {
    const world = uploadsWorld();
    const text = `{ "value": "${value}" }`;
    const { jobId } = bodyOf(await world.submitRef(await world.upload(text)));

    const job = await world.jobs.getJob(String(jobId));

    const input = job?.input;
    expect(input?.kind).toBe(kind);
    const kept =
      input?.kind === 'inline'
        ? input.json
        : input?.kind === 's3'
          ? await world.payloads.get(input)
          : job && (await world.jobs.getInput(job));
    expect(kept).toBe(text);
  });

  it('takes a copy, which the end of the upload does not concern', async () => {
    const world = uploadsWorld();
    const uploadId = await world.upload(JSON.stringify({ value: 'x'.repeat(9_000) }));
    const { jobId } = bodyOf(await world.submitRef(uploadId));
    const job = await world.jobs.getJob(String(jobId));
    expect(job?.input).toMatchObject({
      key: expect.stringMatching(/^tenants\/acme\/jobs\/job_\w+\/input-/),
      ...factsOf(JSON.stringify({ value: 'x'.repeat(9_000) })),
    });
  });

  it('makes as many jobs as it is submitted without a key', async () => {
    const world = uploadsWorld();
    const uploadId = await world.upload(INPUT);
    const jobs = [await world.submitRef(uploadId), await world.submitRef(uploadId)];
    expect(new Set(jobs.map((result) => bodyOf(result).jobId)).size).toBe(2);
  });

  it('is refused while nothing is there', async () => {
    const world = uploadsWorld();
    const uploadId = await world.upload(INPUT, null);
    expect(bodyOf(await world.submitRef(uploadId))).toMatchObject({
      status: 422,
      code: 'upload_missing',
      errors: [{ pointer: '/inputRef/uploadId' }],
    });
  });

  it.each([
    { name: 'of another tenant', uploadId: undefined, parts: GLOBEX },
    { name: 'nobody gave out', uploadId: 'upl_1', parts: {} },
    { name: 'with a path in it', uploadId: '../globex/upl_1', parts: {} },
  ])('is refused under an id $name', async ({ uploadId, parts }) => {
    const world = uploadsWorld();
    const own = await world.upload(INPUT);
    const problem = bodyOf(await world.submitRef(uploadId ?? own, parts));
    expect(problem).toMatchObject({ status: 422, code: 'upload_missing' });
  });

  it.each([
    { name: 'a size', put: '{"value":1}', detail: '11 bytes, and 17 bytes was announced' },
    { name: 'a content', put: '{ "value":  2.0 }', detail: 'SHA-256' },
  ])('is refused with $name that was not announced', async ({ put, detail }) => {
    const world = uploadsWorld();
    const problem = bodyOf(await world.submitRef(await world.upload(INPUT, put)));
    expect(problem).toMatchObject({ status: 422, code: 'upload_mismatch' });
    expect(problem.detail).toContain(detail);
  });

  it.each([
    { name: 'is no JSON', text: '{"value":', pointer: '/input', message: 'not JSON' },
    { name: 'begins with a byte order mark', text: '\ufeff{}', pointer: '/input', message: 'JSON' },
    { name: 'does not fit the agent', text: '[]', pointer: '/input', message: '' },
    {
      name: 'holds too large a number',
      text: '{"value":1e400}',
      pointer: '/input/value',
      message: 'range',
    },
    {
      name: 'has an integer that no double holds',
      text: '{"value":9007199254740993}',
      pointer: '/input',
      message: 'the number 9007199254740993 would be read as 9007199254740992: send it as text',
    },
    {
      name: 'is nested too deep',
      text: `${'['.repeat(128)}${']'.repeat(128)}`,
      pointer: `/input${'/0'.repeat(127)}`,
      message: 'nested deeper than 127',
    },
  ])('is refused when it $name', async ({ text, pointer, message }) => {
    const world = uploadsWorld();
    const problem = bodyOf(await world.submitRef(await world.upload(text)));
    expect(problem).toMatchObject({ status: 422, code: 'invalid_input', errors: [{ pointer }] });
    expect(JSON.stringify(problem.errors)).toContain(message);
  });

  it('may be as deep as an input in a body', async () => {
    const world = uploadsWorld();
    expect(LIMITS.nesting).toBe(CORE_LIMITS.inputNesting + 1);
    const nested = `{"value":${'['.repeat(126)}${']'.repeat(126)}}`;
    const inBody = await world.submit(`{"agent":"echo","input":${nested}}`);
    const uploaded = await world.submitRef(await world.upload(nested));
    expect([inBody.statusCode, uploaded.statusCode]).toEqual([202, 202]);
  });

  it('is refused beside an input, and pointed at', async () => {
    const world = uploadsWorld();
    const uploadId = await world.upload(INPUT);
    const problem = bodyOf(await world.submitRef(uploadId, {}, { input: { value: 1 } }));
    expect(problem).toMatchObject({ status: 400, errors: [{ pointer: '/inputRef' }] });
  });
});

describe('submitting an upload with an idempotency key', () => {
  it('again is the same job', async () => {
    const world = uploadsWorld();
    const uploadId = await world.upload(INPUT);
    const first = await world.submitRef(uploadId, KEY);
    const again = await world.submitRef(uploadId, KEY);
    expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true' });
    expect(bodyOf(again)).toEqual(bodyOf(first));
  });

  it('is the same job when the same bytes were uploaded anew', async () => {
    const world = uploadsWorld();
    const first = await world.submitRef(await world.upload(INPUT), KEY);
    const again = await world.submitRef(await world.upload(INPUT), KEY);
    expect(bodyOf(again)).toEqual(bodyOf(first));
  });

  it('and other bytes is refused', async () => {
    const world = uploadsWorld();
    await world.submitRef(await world.upload(INPUT), KEY);
    const other = await world.submitRef(await world.upload('{ "value":  2.0 }'), KEY);
    expect(bodyOf(other)).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
  });

  it.each([
    { name: 'remembered', forget: false },
    { name: 'forgotten', forget: true },
  ])('is the same job after the upload is gone and the key is $name', async ({ forget }) => {
    const world = uploadsWorld();
    const gone = await world.upload(INPUT, null);
    const first = await world.submitRef(await world.upload(INPUT), KEY);
    const { jobs } = world;
    const runOnce = memoryRunOnce();
    const later = forget ? submitWorld({ jobs, payloads: world.payloads, runOnce }) : world;

    const again = await later.submit({ agent: 'echo', inputRef: { uploadId: gone } }, KEY);

    expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true' });
    expect(bodyOf(again)).toEqual(bodyOf(first));
  });

  it('makes no job of an upload that is not there', async () => {
    const world = uploadsWorld();
    const uploadId = await world.upload(INPUT, null);
    expect(bodyOf(await world.submitRef(uploadId, KEY))).toMatchObject({ code: 'upload_missing' });
    await world.upload(INPUT);
    const other = await world.submitRef(await world.upload(INPUT), KEY);
    expect(other.statusCode).toBe(202);
    expect(other.headers).not.toHaveProperty('idempotent-replayed');
  });
});
