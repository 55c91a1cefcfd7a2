import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';

/** A file of its own, so that a function which hands out no URLs does not bundle the presigner. */
export type PresignGet = typeof presignGet;

export function presignGet(
  object: { readonly client: S3Client; readonly bucket: string; readonly key: string },
  expiresInSeconds: number,
): Promise<string> {
  const command = new GetObjectCommand({ Bucket: object.bucket, Key: object.key });
  return getSignedUrl(object.client, command, { expiresIn: expiresInSeconds });
}
