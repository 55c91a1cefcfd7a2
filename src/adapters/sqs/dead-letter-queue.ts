import { type SQSClient, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { DeadLetterQueue } from '../../core/ports/job-queue.ts';
import { MESSAGE_GROUP_ATTRIBUTE } from '../../settings/names.ts';

export function sqsDeadLetterQueue(queue: {
  readonly client: SQSClient;
  readonly url: string;
}): DeadLetterQueue {
  return {
    send: async (letter) => {
      await queue.client.send(
        new SendMessageCommand({
          QueueUrl: queue.url,
          MessageBody: JSON.stringify(letter),
          MessageAttributes: {
            [MESSAGE_GROUP_ATTRIBUTE]: { DataType: 'String', StringValue: letter.tenantId },
          },
        }),
      );
    },
  };
}
