import { BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { toJobItem } from '../../src/adapters/dynamodb/job-codec.ts';
import type { Job } from '../../src/core/job/job.ts';

/** What one request to DynamoDB may hold. */
const BATCH = 25;

/** Puts many jobs into a table past every rule. */
export async function seedJobs(
  client: DynamoDBDocumentClient,
  table: string,
  jobs: readonly Job[],
): Promise<void> {
  for (let at = 0; at < jobs.length; at += BATCH) {
    const puts = jobs
      .slice(at, at + BATCH)
      .map((job) => ({ PutRequest: { Item: toJobItem(job) } }));
    await client.send(new BatchWriteCommand({ RequestItems: { [table]: puts } }));
  }
}
