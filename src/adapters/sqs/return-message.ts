import { ChangeMessageVisibilityCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { isQueue } from './queue-name.ts';

interface Received {
  readonly receiptHandle: string;
  /** ARN of the queue it came from. */
  readonly eventSourceARN: string;
}

/**
 * Gives a received message back to its queue at once. Without it a message nobody can read would be invisible for the
 * whole visibility timeout after each receive, and reach the dead-letter queue only after an hour or so.
 */
export function sqsReturnMessage(queues: {
  readonly client: SQSClient;
  readonly queueUrls: readonly string[];
}): (message: Received) => Promise<void> {
  return async ({ receiptHandle, eventSourceARN }) => {
    await queues.client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: queues.queueUrls.find((url) => isQueue(url, eventSourceARN)),
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: 0,
      }),
    );
  };
}
