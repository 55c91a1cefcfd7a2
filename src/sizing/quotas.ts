/** Default quotas of an AWS account and fixed limits of its services, with their sources. */
export const QUOTAS = {
  /** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html (adjustable; new accounts begin lower) */
  lambdaConcurrency: 1_000,
  /** https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html (per event source mapping, fixed) */
  mappingConcurrency: 1_000,
  /** https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html (invocations more each minute) */
  mappingGrowthPerMinute: 300,
  /** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html (in flight) */
  messagesInFlight: 120_000,
  /** https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html (requests a second, adjustable) */
  apiRequestsPerSecond: 10_000,
  /** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html (per table, adjustable) */
  tableWriteUnits: 40_000,
  /** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html (a new table) */
  newTableWriteUnits: 4_000,
  /** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html */
  partitionWriteUnits: 1_000,
  /** https://docs.aws.amazon.com/AmazonS3/latest/userguide/optimizing-performance.html (a prefix, at first) */
  objectPutsPerSecond: 3_500,
} as const;
