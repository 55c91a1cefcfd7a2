import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { MemoryDeadLetterQueue } from '../../src/adapters/memory/dead-letter-queue.ts';
import { sqsDeadLetterInbox } from '../../src/adapters/sqs/dead-letter-inbox.ts';
import type { DeadLetterInbox } from '../../src/core/ports/dead-letter-inbox.ts';
import { type QueueAndBucketEmulator, startQueuesAndBuckets } from '../support/emulators.ts';

let emulator: QueueAndBucketEmulator;

beforeAll(async () => {
  emulator = await startQueuesAndBuckets();
});

afterAll(() => emulator.stop());

interface InboxUnderTest {
  readonly inbox: DeadLetterInbox;
  readonly put: (body: string) => Promise<void>;
}

const INBOXES = [
  {
    name: 'memory',
    make: (): InboxUnderTest => {
      const inbox = new MemoryDeadLetterQueue();
      return {
        inbox,
        put: (body) => {
          inbox.put(body);
          return Promise.resolve();
        },
      };
    },
  },
  {
    name: 'SQS emulator',
    make: (): InboxUnderTest => {
      const url = emulator.createQueue();
      const { sqs } = emulator;
      return {
        inbox: sqsDeadLetterInbox({ client: sqs, url }),
        put: async (body) => {
          await sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body }));
        },
      };
    },
  },
];

describe.each(INBOXES)('inbox of dead letters: $name', ({ make }) => {
  it('is empty at first', async () => {
    const { inbox } = make();
    expect(await inbox.count()).toBe(0);
    expect(await inbox.receive()).toEqual([]);
  });

  it('hands out what is in it, and hides it until it is released', async () => {
    const { inbox, put } = make();
    await put('one');
    const [message] = await inbox.receive();
    expect(message?.body).toBe('one');
    expect(await inbox.receive()).toEqual([]);
    expect(await inbox.count()).toBe(1);

    await inbox.release([message?.receipt ?? '']);

    const [again] = await inbox.receive();
    expect(again).toMatchObject({ body: 'one', messageId: message?.messageId });
  });

  it('forgets what is removed, and nothing else', async () => {
    const { inbox, put } = make();
    for (const body of ['one', 'two', 'three']) await put(body);
    const messages = await inbox.receive();
    const receiptOf = (body: string) =>
      messages.find((message) => message.body === body)?.receipt ?? '';

    await inbox.remove([receiptOf('two')]);
    await inbox.release([receiptOf('one'), receiptOf('three')]);

    expect(await inbox.count()).toBe(2);
    expect((await inbox.receive()).map(({ body }) => body).sort()).toEqual(['one', 'three']);
  });

  it('hands out ten at most', async () => {
    const { inbox, put } = make();
    for (let number = 1; number <= 12; number++) await put(String(number));
    expect(await inbox.receive()).toHaveLength(10);
    expect(await inbox.receive()).toHaveLength(2);
  });

  it('takes an order about nothing', async () => {
    const { inbox } = make();
    await inbox.remove([]);
    await inbox.release([]);
    expect(await inbox.count()).toBe(0);
  });
});
