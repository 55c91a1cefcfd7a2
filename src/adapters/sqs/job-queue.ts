import {
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { checkHintDelay } from '../../core/job/hint-delay.ts';
import {
  DEFAULT_LANE,
  type HintBatches,
  type JobQueue,
  type QueuedHint,
  type RefusedHint,
} from '../../core/ports/job-queue.ts';
import { AppError } from '../../errors.ts';
import { MESSAGE_GROUP_ATTRIBUTE } from '../../settings/names.ts';

interface QueuePair {
  readonly jobsUrl: string;
  /** Needed by who takes jobs back from a dead invocation. */
  readonly isolationUrl?: string;
}

/** A worker of its own for some agents. */
export interface Lane extends QueuePair {
  readonly name: string;
  readonly agents: readonly string[];
}

/** The queues of the default lane, and those of others. */
export interface JobQueues extends QueuePair {
  readonly client: SQSClient;
  readonly lanes?: readonly Lane[];
}

/** Hints on SQS; the message group is the tenant, which makes a standard queue fair between tenants. */
export function sqsJobQueue(queues: JobQueues): JobQueue & HintBatches {
  const { client, lanes = [] } = queues;
  const laneOf = (agent?: string): string =>
    lanes.find(({ agents }) => agents.some((name) => name === agent))?.name ?? DEFAULT_LANE;
  const pairOf = (lane: string): QueuePair => lanes.find(({ name }) => name === lane) ?? queues;
  return {
    send: async (hint, { isolated = false, delaySeconds = 0 } = {}) => {
      const pair = pairOf(laneOf(hint.agent));
      await client.send(
        new SendMessageCommand({
          QueueUrl: isolated ? isolationUrl(pair) : pair.jobsUrl,
          ...messageOf({ hint, delaySeconds }),
        }),
      );
    },
    sendAll: async (hints) => {
      const byLane = Map.groupBy(hints, ({ hint }) => laneOf(hint.agent));
      const parts = [...byLane].flatMap(([lane, ofLane]) =>
        batchesOf(ofLane).map((part) => sendBatch(client, pairOf(lane).jobsUrl, part)),
      );
      return (await Promise.all(parts)).flat();
    },
    backlog: (lane) => backlog(client, pairOf(lane).jobsUrl),
    laneOf,
  };
}

/** What one request may hold. */
const BATCH = 10;

function batchesOf(hints: readonly QueuedHint[]): (readonly QueuedHint[])[] {
  return Array.from({ length: Math.ceil(hints.length / BATCH) }, (_, index) =>
    hints.slice(index * BATCH, (index + 1) * BATCH),
  );
}

/** One that fails as a whole refuses all its hints. */
async function sendBatch(
  client: SQSClient,
  jobsUrl: string,
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

function isolationUrl({ isolationUrl: url }: QueuePair): string {
  if (url !== undefined) return url;
  throw new AppError(
    'no isolation queue is configured: this function only sends to the jobs queue',
    {
      code: 'internal_error',
    },
  );
}

async function backlog(client: SQSClient, jobsUrl: string): Promise<number> {
  const answer = await client.send(
    new GetQueueAttributesCommand({
      QueueUrl: jobsUrl,
      AttributeNames: ['ApproximateNumberOfMessages'],
    }),
  );
  return Number(answer.Attributes?.ApproximateNumberOfMessages ?? 0);
}
