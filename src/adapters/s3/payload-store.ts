import { createHash } from 'node:crypto';
import {
  CopyObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { PayloadRef } from '../../core/job/stored-value.ts';
import type { PayloadStore, PresignedPut, UploadReading } from '../../core/ports/payload-store.ts';
import { AppError } from '../../errors.ts';
import type { PresignGet } from './presign-get.ts';
import type { PresignPut } from './presign-put.ts';

export interface PayloadBucket {
  readonly client: S3Client;
  readonly bucket: string;
  /** `presignGet` of `presign-get.ts`, where URLs are handed out. */
  readonly presignGet?: PresignGet;
  /** `presignPut` of `presign-put.ts`, likewise. */
  readonly presignPut?: PresignPut;
}

/** Payloads as objects. S3 checks the SHA-256 of what arrives, `get` that of what comes back. */
export function s3PayloadStore(payloads: PayloadBucket): PayloadStore {
  return {
    put: (key, json) => put(payloads, key, json),
    get: (ref) => get(payloads, ref),
    presignGet: (ref, expiresInSeconds) => presign(payloads, ref, expiresInSeconds),
    presignPut: (ref, expiresInSeconds) => presignUpload(payloads, ref, expiresInSeconds),
    readUpload: (ref) => readUpload(payloads, ref),
    copy: (ref, key) => copy(payloads, ref, key),
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

/** The size first: what is not the size that was announced is not worth its download. */
async function readUpload(
  { client, bucket }: PayloadBucket,
  ref: PayloadRef,
): Promise<UploadReading> {
  const object = { Bucket: bucket, Key: ref.key };
  try {
    const { ContentLength: sizeBytes = 0 } = await client.send(new HeadObjectCommand(object));
    if (sizeBytes !== ref.sizeBytes) return { outcome: 'differs', sizeBytes };
    const { Body: body } = await client.send(new GetObjectCommand(object));
    return judge(ref, (await body?.transformToByteArray()) ?? new Uint8Array());
  } catch (error) {
    if (isNothingThere(error)) return { outcome: 'absent' };
    throw error;
  }
}

function judge(ref: PayloadRef, bytes: Uint8Array): UploadReading {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const sizeBytes = bytes.byteLength;
  if (sizeBytes !== ref.sizeBytes || sha256 !== ref.sha256) {
    return { outcome: 'differs', sizeBytes, sha256 };
  }
  // A byte order mark stays: it is no JSON, and would not be for the worker either.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    return { outcome: 'read', text: decoder.decode(bytes) };
  } catch {
    return { outcome: 'not_utf8' };
  }
}

/** Without the right to list the bucket, which no function has, S3 answers 403 where there is nothing. */
function isNothingThere(error: unknown): boolean {
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  return status === 404 || status === 403;
}

/** S3 copies by itself: no byte passes through here. */
async function copy(
  { client, bucket }: PayloadBucket,
  ref: PayloadRef,
  key: string,
): Promise<PayloadRef> {
  const source = [bucket, ...ref.key.split('/')].map(encodeURIComponent).join('/');
  await client.send(new CopyObjectCommand({ Bucket: bucket, Key: key, CopySource: source }));
  return { ...ref, key };
}

async function presignUpload(
  { client, bucket, presignPut }: PayloadBucket,
  ref: PayloadRef,
  expiresInSeconds: number,
): Promise<PresignedPut> {
  if (presignPut === undefined) throw handsOutNoUrls('presignPut');
  return presignPut({ client, bucket, ref }, expiresInSeconds);
}

async function presign(
  { client, bucket, presignGet }: PayloadBucket,
  ref: PayloadRef,
  expiresInSeconds: number,
): Promise<string> {
  if (presignGet === undefined) throw handsOutNoUrls('presignGet');
  return presignGet({ client, bucket, key: ref.key }, expiresInSeconds);
}

function handsOutNoUrls(what: string): AppError {
  return new AppError(`this function hands out no such URLs: it was composed without ${what}`, {
    code: 'internal_error',
  });
}
