import { type AttributeValue, type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { TABLE_KEYS } from '../../src/settings/names.ts';
import { type WriteUnits, writeUnits } from './write-units.ts';

/** One request to AWS, as a bill would list it. */
export interface CountedRequest {
  /** `DynamoDB`, `SQS` or `S3`. */
  readonly service: string;
  /** `PutItem`, `SendMessage`, … */
  readonly operation: string;
  /** Table, queue URL or bucket. */
  readonly target: string;
  /** Partition and sort key of the item written. */
  readonly item?: string;
  /** The condition did not hold. */
  readonly refused?: boolean;
  /** Of a write to a table. */
  readonly units?: WriteUnits;
}

export type RawItem = Record<string, AttributeValue>;
/** What the inputs of all these commands may hold. */
interface RequestInput {
  readonly TableName?: string | undefined;
  readonly QueueUrl?: string | undefined;
  readonly Bucket?: string | undefined;
  readonly Item?: RawItem | undefined;
  readonly Key?: RawItem | undefined;
}

/** Powertools' own default. */
const IDEMPOTENCY_KEY = 'id';

const WRITES: ReadonlySet<string> = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);

/** Records what a client of SQS or S3 sends. Tries of one command count once. */
export function countRequests(client: SQSClient | S3Client, requests: CountedRequest[]): void {
  // The two stacks differ only in the types of commands.
  const { middlewareStack } = client as SQSClient;
  middlewareStack.add(
    (next, context) => (args) => {
      requests.push(
        describe(client.config.serviceId, context.commandName, args.input as RequestInput),
      );
      return next(args);
    },
    { step: 'serialize', name: 'countRequests' },
  );
}

/**
 * Records what a client of DynamoDB sends, with the write units of each write, computed from the item before and after it.
 * Writes to one item wait for each other, so that none sees the other's item; `reader` reads uncounted.
 */
export function countTableRequests(
  client: DynamoDBClient,
  reader: DynamoDBClient,
  requests: CountedRequest[],
): void {
  const tails = new Map<string, Promise<unknown>>();
  client.middlewareStack.add(
    (next, context) => (args) => {
      const input = args.input as RequestInput;
      const request = describe(client.config.serviceId, context.commandName, input);
      if (!WRITES.has(request.operation)) {
        requests.push(request);
        return next(args);
      }
      const name = `${request.target} ${request.item ?? ''}`;
      const write = (tails.get(name) ?? Promise.resolve()).then(() =>
        measured({ reader, request, input, requests }, () => next(args)),
      );
      tails.set(
        name,
        write.catch(() => undefined),
      );
      return write;
    },
    { step: 'serialize', name: 'countTableRequests' },
  );
}

interface Measurement {
  readonly reader: DynamoDBClient;
  readonly request: CountedRequest;
  readonly input: RequestInput;
  readonly requests: CountedRequest[];
}

async function measured<Answer>(
  { reader, request, input, requests }: Measurement,
  send: () => Promise<Answer>,
): Promise<Answer> {
  const before = await read(reader, input);
  try {
    const answer = await send();
    const after = request.operation === 'DeleteItem' ? undefined : await read(reader, input);
    requests.push({ ...request, units: writeUnits({ before, after }) });
    return answer;
  } catch (error) {
    const refused = (error as Error).name === 'ConditionalCheckFailedException';
    if (refused) requests.push({ ...request, refused, units: writeUnits({ before, refused }) });
    throw error;
  }
}

async function read(reader: DynamoDBClient, input: RequestInput) {
  const { Item } = await reader.send(
    new GetItemCommand({ TableName: input.TableName, Key: keyOf(input), ConsistentRead: true }),
  );
  return Item && unmarshall(Item);
}

function describe(service: string, commandName = '', input: RequestInput): CountedRequest {
  const request = {
    service,
    operation: commandName.replace(/Command$/, ''),
    target: input.TableName ?? input.QueueUrl ?? input.Bucket ?? '',
  };
  const key = keyOf(input);
  return key === undefined
    ? request
    : { ...request, item: Object.values(unmarshall(key)).join(' ') };
}

/** The primary key, also of a put: of the job table, or of the idempotency table. */
export function keyOf(input: RequestInput): RawItem | undefined {
  const source = input.Key ?? input.Item;
  if (source === undefined) return undefined;
  const isOfJobTable = source[TABLE_KEYS.partition] !== undefined;
  const names = isOfJobTable ? [TABLE_KEYS.partition, TABLE_KEYS.sort] : [IDEMPOTENCY_KEY];
  return Object.fromEntries(names.flatMap((name) => (source[name] ? [[name, source[name]]] : [])));
}

/** Number of requests and write units in all. */
export function totalsOf(requests: readonly CountedRequest[]) {
  return {
    requests: requests.length,
    writeUnits: requests.reduce((total, { units }) => total + (units?.total ?? 0), 0),
  };
}
