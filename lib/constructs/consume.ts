import { Names } from 'aws-cdk-lib';
import type { EventSourceMappingOptions } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { ServiceFunction } from './service-function.ts';

/**
 * Lets Lambda invoke a function with the messages of a queue. What CDK's `SqsEventSource` does, with the three actions that Lambda
 * calls in place of five, and under the same construct id: another would be a second mapping, which Lambda refuses.
 */
export function consume(
  consumer: ServiceFunction,
  queue: Queue,
  options: Pick<EventSourceMappingOptions, 'batchSize' | 'maxBatchingWindow' | 'maxConcurrency'>,
): void {
  consumer.addEventSourceMapping(`SqsEventSource:${Names.nodeUniqueId(queue.node)}`, {
    ...options,
    eventSourceArn: queue.queueArn,
    reportBatchItemFailures: true,
  });
  consumer.allow(
    ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
    queue.queueArn,
  );
}
