import {
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  type Message,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SqsRecord } from './sqs-record.ts';

/** SQS hands out and deletes at most ten messages at a time. */
const MESSAGES_PER_CALL = 10;

/** What an event source asked of its queue; on AWS each call is a billed request. */
export interface QueueCounts {
  receives: number;
  emptyReceives: number;
  messagesReceived: number;
  deletes: number;
  messagesDeleted: number;
}

/** The queue as its event source uses it, with every request counted. */
export class QueueClient {
  readonly counts: QueueCounts = {
    receives: 0,
    emptyReceives: 0,
    messagesReceived: 0,
    deletes: 0,
    messagesDeleted: 0,
  };
  readonly #sqs: SQSClient;
  readonly #url: string;

  constructor(sqs: SQSClient, url: string) {
    this.#sqs = sqs;
    this.#url = url;
  }

  async receive(maximum: number, waitSeconds: number): Promise<Message[]> {
    const { Messages = [] } = await this.#sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: this.#url,
        MaxNumberOfMessages: Math.min(maximum, MESSAGES_PER_CALL),
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
    );
    this.counts.receives += 1;
    if (Messages.length === 0) this.counts.emptyReceives += 1;
    this.counts.messagesReceived += Messages.length;
    return Messages;
  }

  async delete(records: readonly SqsRecord[]): Promise<void> {
    const batches = Array.from({ length: Math.ceil(records.length / MESSAGES_PER_CALL) }, (_, at) =>
      records.slice(at * MESSAGES_PER_CALL, (at + 1) * MESSAGES_PER_CALL),
    );
    await Promise.all(batches.map((batch) => this.#deleteBatch(batch)));
  }

  async #deleteBatch(batch: readonly SqsRecord[]): Promise<void> {
    await this.#sqs.send(
      new DeleteMessageBatchCommand({
        QueueUrl: this.#url,
        Entries: batch.map(({ receiptHandle }, at) => ({
          Id: String(at),
          ReceiptHandle: receiptHandle,
        })),
      }),
    );
    this.counts.deletes += 1;
    this.counts.messagesDeleted += batch.length;
  }
}
