import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { deliver, type DeliverDeps } from '../../src/core/notify/deliver.ts';
import { withFields } from '../../src/core/trace/job-telemetry.ts';
import { parseDeliveryHint } from '../../src/core/notify/parse-delivery-hint.ts';

export interface NotifierDeps extends DeliverDeps {
  readonly flush: () => void | Promise<void>;
}

export type NotifierHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;

/** Tries the deliveries of a batch side by side: a receiver that is slow keeps none of the others waiting. */
export function notifierHandler(deps: NotifierDeps): NotifierHandler {
  return async ({ Records }) => {
    try {
      const failed = await Promise.all(Records.map((record) => work(deps, record)));
      return { batchItemFailures: failed.flat() };
    } finally {
      await deps.flush();
    }
  };
}

/** What cannot be read, or could not be worked on, goes back to the queue; after a few times to its dead-letter queue. */
async function work(
  deps: NotifierDeps,
  { messageId, body }: SQSRecord,
): Promise<SQSBatchResponse['batchItemFailures']> {
  const name = parseDeliveryHint(body);
  try {
    if (name === undefined) throw new Error('the message is no hint at a delivery');
    await deliver(withFields(deps, { messageId }), name);
    return [];
  } catch (error) {
    deps.telemetry.log('error', 'a message of the notifications queue goes back to it', {
      messageId,
      ...name,
      error,
    });
    return [{ itemIdentifier: messageId }];
  }
}
