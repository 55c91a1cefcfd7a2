import type { Deployment, Resource } from '../template/deployment.ts';
import { TemplateError } from '../template/template-error.ts';

/** An event source mapping from a queue to a function, as the template configures it. */
export interface EventSourceMapping {
  readonly logicalId: string;
  readonly queueArn: string;
  readonly queueName: string;
  readonly functionName: string;
  readonly batchSize: number;
  readonly windowSeconds: number;
  readonly maximumConcurrency: number;
  readonly reportsItemFailures: boolean;
  readonly enabled: boolean;
}

const DEFAULT_BATCH_SIZE = 10;
/** What AWS scales a standard queue to when nothing limits it. */
const DEFAULT_MAXIMUM_CONCURRENCY = 1250;
/** Above this AWS wants a window of at least a second. */
const LARGEST_BATCH_WITHOUT_WINDOW = 10;

export const eventSourceMappings = (deployment: Deployment): EventSourceMapping[] =>
  deployment
    .ofType('AWS::Lambda::EventSourceMapping')
    .map((resource) => mapping(resource, deployment));

function mapping({ logicalId, properties }: Resource, deployment: Deployment): EventSourceMapping {
  const queueArn = properties.text('EventSourceArn');
  const queueName = queueArn.split(':').at(-1) ?? '';
  const queue = deployment.ofType('AWS::SQS::Queue').find(({ name }) => name === queueName);
  if (!queueArn.startsWith('arn:aws:sqs:') || !queue) {
    throw new TemplateError(
      logicalId,
      `unknown event source ${queueArn}; known: queues of the stack`,
    );
  }
  const batchSize = properties.numberOr('BatchSize', DEFAULT_BATCH_SIZE);
  const windowSeconds = properties.numberOr('MaximumBatchingWindowInSeconds', 0);
  if (batchSize > LARGEST_BATCH_WITHOUT_WINDOW && windowSeconds < 1) {
    throw new TemplateError(
      logicalId,
      `BatchSize ${batchSize} needs MaximumBatchingWindowInSeconds of at least 1`,
    );
  }
  return {
    logicalId,
    queueArn,
    queueName,
    functionName: properties.text('FunctionName').split(':').at(-1) ?? '',
    batchSize,
    windowSeconds,
    maximumConcurrency: properties
      .nested('ScalingConfig')
      .numberOr('MaximumConcurrency', DEFAULT_MAXIMUM_CONCURRENCY),
    reportsItemFailures: properties
      .texts('FunctionResponseTypes')
      .includes('ReportBatchItemFailures'),
    enabled: properties.booleanOr('Enabled', true),
  };
}
