import { createHash } from 'node:crypto';
import { PutObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { memoryPayloadStore } from '../../src/adapters/memory/payload-store.ts';
import { s3PayloadStore } from '../../src/adapters/s3/payload-store.ts';
import { presignGet } from '../../src/adapters/s3/presign-get.ts';
import { presignPut } from '../../src/adapters/s3/presign-put.ts';
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

  it('can be uploaded by their presigned URL, which signs every header', async () => {
    const bucket = await emulator.createBucket();
    const payloads = s3PayloadStore({ client: emulator.s3, bucket, presignPut });
    const text = '"hello"';
    const sha256 = createHash('sha256').update(text).digest('hex');
    const upload = { key: 'uploads/acme/1', sizeBytes: 7, sha256 };

    const { url, headers } = await payloads.presignPut(upload, 60);
    const answer = await fetch(url, { method: 'PUT', headers, body: text });

    expect(answer.status).toBe(200);
    expect(await payloads.readUpload(upload)).toEqual({ outcome: 'read', text });
    const signed = new URL(url).searchParams.get('X-Amz-SignedHeaders')?.split(';');
    expect(signed).toEqual(['host', ...Object.keys(headers)].sort());
    expect(headers).toEqual({
      'content-type': 'application/json',
      'content-length': '7',
      'if-none-match': '*',
      'x-amz-checksum-sha256': createHash('sha256').update(text).digest('base64'),
    });
    expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe('60');
  });

  it('are no text when they are not UTF-8', async () => {
    const bucket = await emulator.createBucket();
    const payloads = s3PayloadStore({ client: emulator.s3, bucket });
    const bytes = Buffer.from([0x22, 0xff, 0x22]);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await emulator.s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'k', Body: bytes }));

    const reading = await payloads.readUpload({ key: 'k', sizeBytes: 3, sha256 });

    expect(reading).toEqual({ outcome: 'not_utf8' });
  });

  it('are not there when S3 says that it may not tell', async () => {
    const refusing = {
      send: () =>
        Promise.reject(
          new S3ServiceException({
            name: 'Forbidden',
            $fault: 'client',
            $metadata: { httpStatusCode: 403 },
          }),
        ),
    } as unknown as S3Client;
    const payloads = s3PayloadStore({ client: refusing, bucket: 'any' });
    const upload = { key: 'k', sizeBytes: 3, sha256: '' };
    expect(await payloads.readUpload(upload)).toEqual({ outcome: 'absent' });
  });

  it('are not presigned by a function that was composed without it', async () => {
    const payloads = s3PayloadStore({ client: emulator.s3, bucket: 'any' });
    const ref = { key: 'k', sizeBytes: 1, sha256: '' };
    await expect(payloads.presignGet(ref, 60)).rejects.toMatchObject({ code: 'internal_error' });
    await expect(payloads.presignPut(ref, 60)).rejects.toMatchObject({ code: 'internal_error' });
  });
});
