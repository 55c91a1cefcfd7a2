import { DeleteObjectsCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';

/** Deletes every object below a prefix; answers how many. */
export async function erasePrefix(
  client: S3Client,
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
): Promise<number> {
  let erased = 0;
  for (;;) {
    const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }));
    const objects = (page.Contents ?? []).map(({ Key }) => ({ Key }));
    if (objects.length === 0) return erased;
    const { Errors: errors = [] } = await client.send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: objects, Quiet: true } }),
    );
    const [first] = errors;
    if (first !== undefined) {
      throw new Error(
        `${first.Key ?? prefix} could not be deleted: ${first.Message ?? 'no reason given'}`,
      );
    }
    erased += objects.length;
  }
}
