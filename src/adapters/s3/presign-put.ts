import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { PayloadRef } from '../../core/job/stored-value.ts';
import type { PresignedPut } from '../../core/ports/payload-store.ts';

/** A file of its own, as `presignGet`. */
export type PresignPut = typeof presignPut;

/**
 * S3 refuses every request that lacks one of the headers or has it otherwise, bytes of another length or SHA-256, and a second
 * PUT. The signature holds the headers themselves: the SDK would leave some out and make parameters of others.
 */
export async function presignPut(
  object: { readonly client: S3Client; readonly bucket: string; readonly ref: PayloadRef },
  expiresInSeconds: number,
): Promise<PresignedPut> {
  const { client, bucket, ref } = object;
  const checksum = Buffer.from(ref.sha256, 'hex').toString('base64');
  const command = new PutObjectCommand({
    Bucket: bucket,
    Key: ref.key,
    ContentLength: ref.sizeBytes,
    ContentType: 'application/json',
    ChecksumSHA256: checksum,
    IfNoneMatch: '*',
  });
  const headers = {
    'content-type': 'application/json',
    'content-length': String(ref.sizeBytes),
    'if-none-match': '*',
    'x-amz-checksum-sha256': checksum,
  };
  const names = Object.keys(headers);
  const url = await getSignedUrl(client, command, {
    expiresIn: expiresInSeconds,
    signableHeaders: new Set(names),
    unhoistableHeaders: new Set(names),
  });
  return { url, headers };
}
