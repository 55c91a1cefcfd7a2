import { CreateTableCommand, type CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import type { Deployment, Resource } from '../template/deployment.ts';
import type { EmulatorClients } from './clients.ts';

/** Creates the tables, queues and buckets of the template in the emulators. */
export async function createStorage(
  deployment: Deployment,
  clients: EmulatorClients,
): Promise<void> {
  const tables = deployment.ofType('AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable');
  const queues = deployment.ofType('AWS::SQS::Queue');
  const buckets = deployment.ofType('AWS::S3::Bucket');
  await Promise.all([
    ...tables.map((table) => clients.dynamodb.send(new CreateTableCommand(tableInput(table)))),
    ...queues.map((queue) => clients.sqs.send(new CreateQueueCommand(queueInput(queue)))),
    ...buckets.map(({ name }) => clients.s3.send(new CreateBucketCommand({ Bucket: name }))),
  ]);
}

function tableInput({ name, properties }: Resource): CreateTableCommandInput {
  const indexes = properties.list('GlobalSecondaryIndexes').map((index) => ({
    IndexName: index.text('IndexName'),
    KeySchema: index.raw('KeySchema'),
    Projection: index.raw('Projection'),
  }));
  return {
    TableName: name,
    KeySchema: properties.raw('KeySchema'),
    AttributeDefinitions: properties.raw('AttributeDefinitions'),
    BillingMode: 'PAY_PER_REQUEST',
    ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes }),
  } as CreateTableCommandInput;
}

const QUEUE_ATTRIBUTES = [
  'DelaySeconds',
  'MaximumMessageSize',
  'MessageRetentionPeriod',
  'ReceiveMessageWaitTimeSeconds',
  'VisibilityTimeout',
] as const;

function queueInput({ name, properties }: Resource) {
  const given = QUEUE_ATTRIBUTES.filter((attribute) => properties.has(attribute));
  const redrive = properties.raw('RedrivePolicy');
  return {
    QueueName: name,
    Attributes: {
      ...Object.fromEntries(given.map((attribute) => [attribute, properties.text(attribute)])),
      ...(redrive !== undefined && { RedrivePolicy: JSON.stringify(redrive) }),
    },
  };
}
