/**
 * List prices of us-east-1 in dollars, without free tier, as of November 2026. Each names where it can be looked up; a figure
 * of a bill comes from the bill.
 */
export const PRICES = {
  /** https://aws.amazon.com/api-gateway/pricing/ (REST, first tier) */
  apiRequest: 3.5e-6,
  /** https://aws.amazon.com/lambda/pricing/ */
  invocation: 0.2e-6,
  /** https://aws.amazon.com/lambda/pricing/ (arm64) */
  gbSecond: 1.33334e-5,
  /** https://aws.amazon.com/sqs/pricing/ (standard, with the surcharge of fair queues, per 64 KB) */
  queueRequest: 0.5e-6,
  /** https://aws.amazon.com/dynamodb/pricing/on-demand/ */
  writeUnit: 0.625e-6,
  readUnit: 0.125e-6,
  tableGbMonth: 0.25,
  /** https://aws.amazon.com/s3/pricing/ */
  objectPut: 5e-6,
  objectGet: 0.4e-6,
  objectGbMonth: 0.023,
  /** https://aws.amazon.com/cloudwatch/pricing/ */
  logGb: 0.5,
  /** https://aws.amazon.com/step-functions/pricing/ (Standard, per state transition) */
  stateTransition: 25e-6,
  /** https://aws.amazon.com/lambda/pricing/ (durable functions: operations, data written, data kept) */
  durableOperation: 8e-6,
  durableGbWritten: 0.25,
  durableGbMonth: 0.15,
  /** https://aws.amazon.com/api-gateway/pricing/ (HTTP API, what a front of the alternatives would use) */
  httpApiRequest: 1e-6,
} as const;
