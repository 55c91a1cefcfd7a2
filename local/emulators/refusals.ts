import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../gateway/read-body.ts';

/** A request to a table that was refused, for whoever counts. */
export interface RefusedTable {
  readonly table: string;
  readonly index?: string;
  readonly kind: 'Read' | 'Write';
}

interface TableRequest {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly RequestItems?: Readonly<Record<string, unknown>>;
}

/** DynamoDB takes 16 MB in a batch. */
const BODY_LIMIT_BYTES = 17 * 1024 * 1024;
const READS = /\.(?:GetItem|BatchGetItem|Query|Scan|TransactGetItems)$/;

/**
 * Answers every request in the words by which the service that it is meant for says that it is busy. Calls that are to be refused
 * are sent here instead of to an emulator.
 */
export class Refusals {
  readonly #onTable: (refused: RefusedTable) => void;

  constructor(onTable: (refused: RefusedTable) => void) {
    this.#onTable = onTable;
  }

  async serve(message: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const text = (await readBody(message, BODY_LIMIT_BYTES)) ?? '{}';
    const target = String(message.headers['x-amz-target'] ?? '');
    if (target.startsWith('DynamoDB_')) {
      const kind = READS.test(target) ? 'Read' : 'Write';
      for (const table of tablesOf(JSON.parse(text) as TableRequest)) {
        this.#onTable({ ...table, kind });
      }
      json(
        response,
        400,
        'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
      );
    } else if (target.startsWith('AmazonSQS.')) {
      json(response, 403, 'com.amazonaws.sqs#RequestThrottled');
    } else if (target !== '' || url.pathname.startsWith('/schedules/')) {
      json(response, 429, 'ThrottlingException');
    } else {
      response.writeHead(503, { 'content-type': 'application/xml' });
      response.end(
        '<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>',
      );
    }
  }
}

function tablesOf({ TableName, IndexName, RequestItems = {} }: TableRequest) {
  if (TableName === undefined) return Object.keys(RequestItems).map((table) => ({ table }));
  return [{ table: TableName, ...(IndexName !== undefined && { index: IndexName }) }];
}

function json(response: ServerResponse, status: number, type: string): void {
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.0',
    'x-amzn-errortype': type.replace(/^.*#/, ''),
  });
  response.end(JSON.stringify({ __type: type, message: 'refused by a test' }));
}
