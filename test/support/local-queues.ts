import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { LocalCloudState } from './local-cloud.ts';

/** The queues of a local cloud, as an operator gets at them past the API. */
export class LocalQueues {
  readonly #client: SQSClient;
  readonly #outputs: LocalCloudState['outputs'];
  readonly #deadLetters: string[] = [];

  constructor({ endpoints, outputs, region }: LocalCloudState) {
    this.#outputs = outputs;
    this.#client = new SQSClient({
      region,
      endpoint: endpoints.sqs,
      useQueueUrlAsEndpoint: false,
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
  }

  /** Puts a message into the jobs queue that no part of Longhaul has sent. */
  async sendToJobsQueue(body: string): Promise<void> {
    await this.#client.send(
      new SendMessageCommand({ QueueUrl: this.#outputs.JobQueueUrl, MessageBody: body }),
    );
  }

  /** The bodies of the dead letters that mention `text`, once there is one. */
  async deadLetters(text: string, { withinMs = 60_000 } = {}): Promise<string[]> {
    const deadline = Date.now() + withinMs;
    for (;;) {
      await this.#takeDeadLetters();
      const found = this.#deadLetters.filter((body) => body.includes(text));
      if (found.length > 0) return found;
      if (Date.now() > deadline) {
        throw new Error(`no dead letter mentions ${text} within ${withinMs} ms`);
      }
    }
  }

  /** Messages in the dead-letter queue, those included that somebody has received. */
  async deadLetterCount(): Promise<number> {
    const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
    const { Attributes } = await this.#client.send(
      new GetQueueAttributesCommand({
        QueueUrl: this.#outputs.DeadLetterQueueUrl,
        AttributeNames: [...names],
      }),
    );
    return names.reduce((sum, name) => sum + Number(Attributes?.[name]), 0);
  }

  /** Letters of webhooks that were given up, hidden from others for a minute; each can be deleted. */
  async undelivered(): Promise<readonly { body: string; delete: () => Promise<void> }[]> {
    const QueueUrl = this.#outputs.UndeliveredQueueUrl;
    const { Messages = [] } = await this.#client.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 60 }),
    );
    return Messages.map(({ Body = '', ReceiptHandle }) => ({
      body: Body,
      delete: async () => {
        await this.#client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      },
    }));
  }

  /** Puts a message into the dead-letter queue. */
  async sendToDeadLetters(body: string): Promise<void> {
    await this.#client.send(
      new SendMessageCommand({ QueueUrl: this.#outputs.DeadLetterQueueUrl, MessageBody: body }),
    );
  }

  destroy(): void {
    this.#client.destroy();
  }

  async #takeDeadLetters(): Promise<void> {
    const QueueUrl = this.#outputs.DeadLetterQueueUrl;
    const { Messages = [] } = await this.#client.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }),
    );
    for (const { Body = '', ReceiptHandle } of Messages) {
      this.#deadLetters.push(Body);
      await this.#client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  }
}
