import { DeleteObjectsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { tenantPrefixes } from '../../core/job/payload-keys.ts';
import type { PayloadBucket } from './payload-store.ts';

type Bucket = Pick<PayloadBucket, 'client' | 'bucket'>;

/** Deletes every payload and upload of a tenant; answers how many there were. */
export async function erasePayloads(bucket: Bucket, tenantId: string): Promise<number> {
  let erased = 0;
  for (const prefix of tenantPrefixes(tenantId)) erased += await erasePrefix(bucket, prefix);
  return erased;
}

async function erasePrefix({ client, bucket }: Bucket, prefix: string): Promise<number> {
  for (let erased = 0; ;) {
    const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }));
    const objects = (page.Contents ?? []).map(({ Key }) => ({ Key }));
    if (objects.length === 0) return erased;
    const { Errors: errors = [] } = await client.send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: objects, Quiet: true } }),
    );
    const [first] = errors;
    if (first !== undefined) {
      const { Key: key = prefix, Message: reason = 'no reason given' } = first;
      throw new Error(`${key} could not be deleted: ${reason}`);
    }
    erased += objects.length;
  }
}
