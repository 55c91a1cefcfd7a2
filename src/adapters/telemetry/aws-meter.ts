import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { FlushableTelemetry } from './powertools-telemetry.ts';

interface Consumed {
  readonly CapacityUnits?: number;
}

const READS: ReadonlySet<string> = new Set(['GetItem', 'Query', 'BatchGetItem', 'Scan']);

/**
 * Counts what a client asks of AWS: each request, tries included, and the units of the tables, which DynamoDB reports with its
 * answer at no cost, indexes included. Gives the client back.
 */
export function metered<
  Client extends DynamoDBClient | EventBridgeClient | S3Client | SchedulerClient | SQSClient,
>(client: Client, telemetry: Pick<FlushableTelemetry, 'count'>): Client {
  // The stacks differ only in the types of commands.
  const { middlewareStack } = client as DynamoDBClient;
  const isTable = client.config.serviceId === 'DynamoDB';
  middlewareStack.add(
    (next, context) => async (args) => {
      if (!isTable) return next(args);
      const answer = await next({
        ...args,
        input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' },
      });
      const units = unitsOf(answer.output);
      const operation = (context.commandName ?? '').replace(/Command$/, '');
      if (units > 0) telemetry.count(READS.has(operation) ? 'ReadUnits' : 'WriteUnits', units);
      return answer;
    },
    { step: 'initialize', name: 'meterUnits' },
  );
  middlewareStack.add(
    (next) => (args) => {
      telemetry.count('AwsRequests');
      return next(args);
    },
    // Behind the retries, so that each try counts.
    { step: 'finalizeRequest', priority: 'low', name: 'meterRequests' },
  );
  return client;
}

/** Batch operations answer one for each table. */
function unitsOf(output: object): number {
  const { ConsumedCapacity } = output as { ConsumedCapacity?: Consumed | Consumed[] };
  return [ConsumedCapacity]
    .flat()
    .reduce((sum, consumed) => sum + (consumed?.CapacityUnits ?? 0), 0);
}
