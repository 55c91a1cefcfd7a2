import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { checkItemSize } from '../../core/job/item-limit.ts';
import type { UpdateResult } from '../../core/job/item-update.ts';
import type { Job } from '../../core/job/job.ts';
import type { JobStore } from '../../core/ports/job-store.ts';
import { AppError } from '../../errors.ts';
import { attempt } from './attempt.ts';
import { itemSizeBytes } from './item-size.ts';
import { fromJobItem, toJobItem } from './job-codec.ts';
import { type Key, inputKey, jobKey, resultKey } from './keys.ts';
import { type Item, type Table, getItem, ifFree, isAlive, nowSeconds, putItem } from './table.ts';
import { updateExpressions } from './update-expression.ts';

type JobItems = Pick<
  JobStore,
  'createJob' | 'getJob' | 'updateJob' | 'getInput' | 'putResult' | 'getResult'
>;

/** Job items, and the inputs and results that have items of their own. */
export function jobItems(table: Table): JobItems {
  return {
    createJob: (job, inputJson) => createJob(table, job, inputJson),
    getJob: (jobId) => getJob(table, jobId),
    updateJob: (jobId, update) => updateJob(table, jobId, update),
    getInput: (job) => getText(table, inputKey(job)),
    putResult: ({ json, expiresAtSeconds, ...job }) => {
      const item = { ...resultKey(job), json, expiresAtSeconds };
      return putText(table, { what: 'result', jobId: job.jobId, item });
    },
    getResult: (job) => getText(table, resultKey(job)),
  };
}

async function createJob(
  table: Table,
  job: Job,
  inputJson: string | undefined,
): ReturnType<JobStore['createJob']> {
  const { jobId, expiresAtSeconds } = job;
  if (inputJson !== undefined) {
    const item = { ...inputKey(job), json: inputJson, expiresAtSeconds };
    await putText(table, { what: 'input', jobId, item });
  }
  const put = await attempt(putItem(table, toJobItem(job), ifFree(table)));
  if (put.applied) return { created: true };
  const existing = put.item === undefined ? await getJob(table, jobId) : fromJobItem(put.item);
  if (existing !== undefined) return { created: false, existing };
  throw new AppError(`job ${jobId} expired while it was submitted again: submit it once more`, {
    code: 'unavailable',
    retryable: true,
  });
}

async function getJob(table: Table, jobId: string): Promise<Job | undefined> {
  const item = await getItem(table, jobKey(jobId));
  return item && fromJobItem(item);
}

async function updateJob(
  table: Table,
  jobId: string,
  update: Parameters<JobStore['updateJob']>[1],
): Promise<UpdateResult> {
  const result = await attempt(
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: jobKey(jobId),
        ...updateExpressions(update, nowSeconds(table)),
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    ),
  );
  if (result.applied) return { applied: true, job: fromJobItem(result.value.Attributes ?? {}) };
  if (result.item === undefined) return { applied: false, job: await getJob(table, jobId) };
  const job = isAlive(table, result.item) ? fromJobItem(result.item) : undefined;
  return { applied: false, job };
}

async function putText(
  table: Table,
  text: { readonly what: string; readonly jobId: string; readonly item: Key & Item },
): Promise<void> {
  checkItemSize(text.what, itemSizeBytes(text.item), text.jobId);
  await putItem(table, text.item);
}

async function getText(table: Table, key: Key): Promise<string | undefined> {
  const item = await getItem(table, key);
  return item?.json as string | undefined;
}
