/** What decides whether a good message can end in the dead-letter queue. */
export interface QueueSettings {
  readonly functionTimeoutSeconds: number;
  readonly batchingWindowSeconds: number;
  readonly visibilityTimeoutSeconds: number;
  readonly maxConcurrency: number;
  /** Event source mappings of `maxConcurrency` each that invoke the same function. */
  readonly mappings: number;
  /** Concurrency set aside for the function; undefined: it shares the account's. */
  readonly reservedConcurrency?: number;
  readonly maxReceiveCount: number;
  readonly retentionSeconds: number;
  readonly deadLetterRetentionSeconds: number;
}

/**
 * Settings by which SQS would move messages of healthy jobs to the dead-letter queue, each in a sentence. Sources:
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html and
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
 */
export function queueRisks(settings: QueueSettings): string[] {
  const risks: string[] = [];
  const longest = settings.functionTimeoutSeconds + settings.batchingWindowSeconds;
  if (settings.visibilityTimeoutSeconds < longest) {
    risks.push(
      `the visibility timeout of ${settings.visibilityTimeoutSeconds} s is below the function timeout with the batching window (${longest} s): messages come back while they are being worked on, and ${settings.maxReceiveCount} such receives take one to the dead-letter queue`,
    );
  }
  const wanted = settings.maxConcurrency * settings.mappings;
  const { reservedConcurrency } = settings;
  if (reservedConcurrency !== undefined && reservedConcurrency < wanted) {
    risks.push(
      `a reserved concurrency of ${reservedConcurrency} is below what the event source mappings may ask for (${settings.mappings} × maxConcurrency ${settings.maxConcurrency} = ${wanted}): throttled receives count, and take good messages to the dead-letter queue; reserve ${wanted}, or lower maxConcurrency`,
    );
  }
  if (settings.maxReceiveCount < 5) {
    risks.push(
      `maxReceiveCount ${settings.maxReceiveCount} is below 5: a short time of throttling takes good messages to the dead-letter queue`,
    );
  }
  if (settings.deadLetterRetentionSeconds <= settings.retentionSeconds) {
    risks.push(
      `the dead-letter queue keeps messages ${settings.deadLetterRetentionSeconds} s, no longer than the queue (${settings.retentionSeconds} s): a message keeps its age when it is moved, and would be gone before anybody looks`,
    );
  }
  return risks;
}
