import { createHash } from 'node:crypto';
import { GetObjectCommand, NoSuchKey, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { PayloadRef } from '../../core/job/stored-value.ts';
import type { PayloadStore } from '../../core/ports/payload-store.ts';
import { AppError } from '../../errors.ts';
import type { PresignGet } from './presign-get.ts';

export interface PayloadBucket {
  readonly client: S3Client;
  readonly bucket: string;
  /** `presignGet` of `presign-get.ts`, where URLs are handed out. */
  readonly presignGet?: PresignGet;
}

/** Payloads as objects. S3 checks the SHA-256 of what arrives, `get` that of what comes back. */
export function s3PayloadStore(payloads: PayloadBucket): PayloadStore {
  return {
    put: (key, json) => put(payloads, key, json),
    get: (ref) => get(payloads, ref),
    presignGet: (ref, expiresInSeconds) => presign(payloads, ref, expiresInSeconds),
  };
}

async function put({ client, bucket }: PayloadBucket, key: string, json: string) {
  const body = Buffer.from(json, 'utf8');
  const hash = createHash('sha256').update(body).digest();
  await client.send(
    new PutObjectCommand({
      Bucket: bucket,
      Key: key,
      Body: body,
      ContentType: 'application/json',
      ChecksumSHA256: hash.toString('base64'),
    }),
  );
  return { key, sizeBytes: body.byteLength, sha256: hash.toString('hex') };
}

async function get({ client, bucket }: PayloadBucket, ref: PayloadRef): Promise<string> {
  const body = await read(client, bucket, ref);
  const sha256 = createHash('sha256').update(body).digest('hex');
  if (sha256 !== ref.sha256 || body.byteLength !== ref.sizeBytes) {
    throw unreadable(ref, 'differs from what was stored');
  }
  return Buffer.from(body).toString('utf8');
}

async function read(client: S3Client, bucket: string, ref: PayloadRef): Promise<Uint8Array> {
  try {
    const answer = await client.send(new GetObjectCommand({ Bucket: bucket, Key: ref.key }));
    return (await answer.Body?.transformToByteArray()) ?? new Uint8Array();
  } catch (error) {
    if (error instanceof NoSuchKey) throw unreadable(ref, 'is missing', error);
    throw error;
  }
}

function unreadable(ref: PayloadRef, fault: string, cause?: unknown): AppError {
  return new AppError(`payload ${ref.key} ${fault}`, {
    code: 'internal_error',
    details: { ...ref },
    cause,
  });
}

async function presign(
  { client, bucket, presignGet }: PayloadBucket,
  ref: PayloadRef,
  expiresInSeconds: number,
): Promise<string> {
  if (presignGet === undefined) {
    throw new AppError('this function hands out no URLs: it was composed without presignGet', {
      code: 'internal_error',
    });
  }
  return presignGet({ client, bucket, key: ref.key }, expiresInSeconds);
}
