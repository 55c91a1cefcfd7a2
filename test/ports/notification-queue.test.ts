import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  MemoryNotificationQueue,
  MemoryUndeliveredQueue,
} from '../../src/adapters/memory/notification-queue.ts';
import {
  sqsNotificationQueue,
  sqsUndeliveredQueue,
} from '../../src/adapters/sqs/notification-queue.ts';
import type {
  NotificationQueue,
  UndeliveredQueue,
} from '../../src/core/ports/notification-queue.ts';
import { NOON } from '../support/builders.ts';
import { type QueueAndBucketEmulator, startQueuesAndBuckets } from '../support/emulators.ts';

const HINT = { v: 1, jobId: 'job-1', deliveryId: 'msg_1', tenantId: 'acme' } as const;
const LETTER = {
  v: 1,
  jobId: 'job-1',
  tenantId: 'acme',
  deliveryId: 'msg_1',
  event: 'job.failed',
  receiver: 'https://example.com',
  failedTries: 20,
  lastStatus: 500,
  givenUpAt: '2030-01-01T12:00:00.000Z',
} as const;

let queues: QueueAndBucketEmulator;

beforeAll(async () => {
  queues = await startQueuesAndBuckets();
});

afterAll(() => queues.stop());

async function bodiesOf(url: string): Promise<unknown[]> {
  const { Messages = [] } = await queues.sqs.send(
    new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, WaitTimeSeconds: 0 }),
  );
  return Messages.map(({ Body = '' }) => JSON.parse(Body) as unknown);
}

interface UnderTest<Queue> {
  readonly queue: Queue;
  /** What can be received now. */
  readonly ready: () => unknown[] | Promise<unknown[]>;
}

describe.each<[string, () => UnderTest<NotificationQueue>]>([
  [
    'memory',
    () => {
      const queue = new MemoryNotificationQueue({ now: () => NOON });
      return { queue, ready: () => queue.receive(10) };
    },
  ],
  [
    'SQS emulator',
    () => {
      const url = queues.createQueue();
      const queue = sqsNotificationQueue({ client: queues.sqs, url });
      return { queue, ready: () => bodiesOf(url) };
    },
  ],
])('notification queue: %s', (_name, make) => {
  it('delivers a hint, and a delayed one not yet', async () => {
    const { queue, ready } = make();
    await queue.send({ ...HINT, deliveryId: 'msg_later' }, { delaySeconds: 900 });
    await queue.send(HINT);
    expect(await ready()).toEqual([HINT]);
  });

  it.each([901, -1, 0.5])('refuses a delay of %j s', async (delaySeconds) => {
    const { queue } = make();
    await expect(queue.send(HINT, { delaySeconds })).rejects.toMatchObject({
      code: 'internal_error',
    });
  });
});

describe.each<[string, () => UnderTest<UndeliveredQueue>]>([
  [
    'memory',
    () => {
      const queue = new MemoryUndeliveredQueue();
      return { queue, ready: () => queue.letters };
    },
  ],
  [
    'SQS emulator',
    () => {
      const url = queues.createQueue();
      const queue = sqsUndeliveredQueue({ client: queues.sqs, url });
      return { queue, ready: () => bodiesOf(url) };
    },
  ],
])('queue of what was given up: %s', (_name, make) => {
  it('holds the letter as it was sent', async () => {
    const { queue, ready } = make();
    await queue.send(LETTER);
    expect(await ready()).toEqual([LETTER]);
  });
});
