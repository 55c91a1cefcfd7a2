import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { memoryPayloadStore } from '../../src/adapters/memory/payload-store.ts';
import { s3PayloadStore } from '../../src/adapters/s3/payload-store.ts';
import { presignGet } from '../../src/adapters/s3/presign-get.ts';
import { type QueueAndBucketEmulator, startQueuesAndBuckets } from '../support/emulators.ts';
import { describePayloadStore } from './describe-payload-store.ts';

let emulator: QueueAndBucketEmulator;

beforeAll(async () => {
  emulator = await startQueuesAndBuckets();
});

afterAll(() => emulator.stop());

describePayloadStore('memory', () => Promise.resolve(memoryPayloadStore()));
describePayloadStore('S3 emulator', async () => {
  const bucket = await emulator.createBucket();
  return s3PayloadStore({ client: emulator.s3, bucket, presignGet });
});

describe('payloads in S3', () => {
  it('can be fetched by their presigned URL', async () => {
    const bucket = await emulator.createBucket();
    const payloads = s3PayloadStore({ client: emulator.s3, bucket, presignGet });
    const ref = await payloads.put('a/b.json', '"hello"');
    const answer = await fetch(await payloads.presignGet(ref, 60));
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.text()).toBe('"hello"');
  });

  it('are not presigned by a function that was composed without it', async () => {
    const payloads = s3PayloadStore({ client: emulator.s3, bucket: 'any' });
    const ref = { key: 'k', sizeBytes: 1, sha256: '' };
    await expect(payloads.presignGet(ref, 60)).rejects.toMatchObject({ code: 'internal_error' });
  });
});
