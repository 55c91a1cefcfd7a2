import {
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { checkHintDelay } from '../../core/job/hint-delay.ts';
import type {
  HintBatches,
  JobHint,
  JobQueue,
  QueuedHint,
  RefusedHint,
} from '../../core/ports/job-queue.ts';
import { AppError } from '../../errors.ts';
import { MESSAGE_GROUP_ATTRIBUTE } from '../../settings/names.ts';

export interface JobQueues {
  readonly client: SQSClient;
  readonly jobsUrl: string;
  /** Needed by who takes jobs back from a dead invocation. */
  readonly isolationUrl?: string;
}

/** Hints on SQS; the message group is the tenant, which makes a standard queue fair between tenants. */
export function sqsJobQueue(queues: JobQueues): JobQueue & HintBatches {
  return {
    send: (hint, options = {}) => send(queues, hint, options),
    sendAll: async (hints) => {
      const parts = Array.from({ length: Math.ceil(hints.length / BATCH) }, (_, index) =>
        hints.slice(index * BATCH, (index + 1) * BATCH),
      );
      return (await Promise.all(parts.map((part) => sendBatch(queues, part)))).flat();
    },
    backlog: () => backlog(queues),
  };
}

async function send(
  queues: JobQueues,
  hint: JobHint,
  { isolated = false, delaySeconds = 0 }: NonNullable<Parameters<JobQueue['send']>[1]>,
): Promise<void> {
  await queues.client.send(
    new SendMessageCommand({
      QueueUrl: isolated ? isolationUrl(queues) : queues.jobsUrl,
      ...messageOf({ hint, delaySeconds }),
    }),
  );
}

/** What one request may hold. */
const BATCH = 10;

/** One that fails as a whole refuses all its hints. */
async function sendBatch(
  { client, jobsUrl }: JobQueues,
  hints: readonly QueuedHint[],
): Promise<RefusedHint[]> {
  const Entries = hints.map((queued, index) => ({ Id: String(index), ...messageOf(queued) }));
  try {
    const { Failed = [] } = await client.send(
      new SendMessageBatchCommand({ QueueUrl: jobsUrl, Entries }),
    );
    return hints.flatMap((queued, index) => {
      const error = Failed.find(({ Id }) => Id === String(index));
      return error === undefined ? [] : [{ ...queued, error }];
    });
  } catch (error) {
    return hints.map((queued) => ({ ...queued, error }));
  }
}

function messageOf({ hint, delaySeconds }: QueuedHint) {
  checkHintDelay(delaySeconds);
  return {
    MessageBody: JSON.stringify(hint),
    MessageGroupId: hint.tenantId,
    MessageAttributes: {
      [MESSAGE_GROUP_ATTRIBUTE]: { DataType: 'String', StringValue: hint.tenantId },
    },
    // Left out when there is none: 0 would override a delay of the queue.
    ...(delaySeconds === 0 ? {} : { DelaySeconds: delaySeconds }),
  };
}

function isolationUrl({ isolationUrl: url }: JobQueues): string {
  if (url !== undefined) return url;
  throw new AppError(
    'no isolation queue is configured: this function only sends to the jobs queue',
    {
      code: 'internal_error',
    },
  );
}

async function backlog({ client, jobsUrl }: JobQueues): Promise<number> {
  const answer = await client.send(
    new GetQueueAttributesCommand({
      QueueUrl: jobsUrl,
      AttributeNames: ['ApproximateNumberOfMessages'],
    }),
  );
  return Number(answer.Attributes?.ApproximateNumberOfMessages ?? 0);
}
