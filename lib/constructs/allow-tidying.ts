import type { JobQueue } from './job-queue.ts';
import type { ServiceFunction } from './service-function.ts';

/** What it takes to look through the dead-letter queue, and to remove from it what was redriven. */
export function allowTidying(handler: ServiceFunction, { deadLetters }: JobQueue): void {
  handler.allow(
    ['ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility'].map((name) => `sqs:${name}`),
    deadLetters.queueArn,
  );
}
