import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { DeadLetterInbox } from '../../core/ports/dead-letter-inbox.ts';

/** Most that one request takes. */
const BATCH = 10;
/** For how long a message is hidden if whoever received it dies. */
const HIDDEN_SECONDS = 20;
/** A message that somebody has received and not dealt with comes back. */
const COUNTS = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
/** A receive that does not wait asks some of the servers only, and may find nothing where there is something. */
const WAIT_SECONDS = 1;

export function sqsDeadLetterInbox(queue: {
  readonly client: SQSClient;
  readonly url: string;
}): DeadLetterInbox {
  const { client, url: QueueUrl } = queue;
  return {
    count: async () => {
      const { Attributes = {} } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...COUNTS] }),
      );
      return COUNTS.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
    },
    receive: async () => {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: BATCH,
          VisibilityTimeout: HIDDEN_SECONDS,
          WaitTimeSeconds: WAIT_SECONDS,
        }),
      );
      return Messages.map(({ MessageId = '', Body = '', ReceiptHandle = '' }) => ({
        messageId: MessageId,
        body: Body,
        receipt: ReceiptHandle,
      }));
    },
    // What a batch request could not do for one message is done the next time.
    remove: async (receipts) => {
      if (receipts.length === 0) return;
      await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries: entriesOf(receipts) }));
    },
    release: async (receipts) => {
      if (receipts.length === 0) return;
      const entries = entriesOf(receipts).map((entry) => ({ ...entry, VisibilityTimeout: 0 }));
      await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries: entries }));
    },
  };
}

function entriesOf(receipts: readonly string[]) {
  return receipts.map((receipt, at) => ({ Id: String(at), ReceiptHandle: receipt }));
}
