import { type SQSClient, SendMessageCommand } from '@aws-sdk/client-sqs';
import { checkHintDelay } from '../../core/job/hint-delay.ts';
import type { NotificationQueue, UndeliveredQueue } from '../../core/ports/notification-queue.ts';
import { MESSAGE_GROUP_ATTRIBUTE } from '../../settings/names.ts';

interface Queue {
  readonly client: SQSClient;
  readonly url: string;
}

/** Hints at deliveries on SQS; the message group is the tenant, so one with a slow receiver keeps no other waiting. */
export function sqsNotificationQueue({ client, url }: Queue): NotificationQueue {
  return {
    send: async (hint, { delaySeconds = 0 } = {}) => {
      checkHintDelay(delaySeconds);
      await client.send(
        new SendMessageCommand({
          QueueUrl: url,
          MessageBody: JSON.stringify(hint),
          MessageGroupId: hint.tenantId,
          MessageAttributes: groupOf(hint.tenantId),
          ...(delaySeconds === 0 ? {} : { DelaySeconds: delaySeconds }),
        }),
      );
    },
  };
}

export function sqsUndeliveredQueue({ client, url }: Queue): UndeliveredQueue {
  return {
    send: async (letter) => {
      await client.send(
        new SendMessageCommand({
          QueueUrl: url,
          MessageBody: JSON.stringify(letter),
          MessageAttributes: groupOf(letter.tenantId),
        }),
      );
    },
  };
}

function groupOf(tenantId: string) {
  return { [MESSAGE_GROUP_ATTRIBUTE]: { DataType: 'String', StringValue: tenantId } };
}
