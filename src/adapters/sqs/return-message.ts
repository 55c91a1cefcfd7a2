import { ChangeMessageVisibilityCommand, type SQSClient } from '@aws-sdk/client-sqs';

/**
 * Gives a received message back to its queue at once. Without it a message nobody can read would be invisible for the
 * whole visibility timeout after each receive, and reach the dead-letter queue only after an hour or so.
 */
export function sqsReturnMessage(queue: {
  readonly client: SQSClient;
  readonly queueUrl: string;
}): (receiptHandle: string) => Promise<void> {
  return async (receiptHandle) => {
    await queue.client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: queue.queueUrl,
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: 0,
      }),
    );
  };
}
