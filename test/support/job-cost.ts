import { PRICES } from '../../src/sizing/prices.ts';
import { type CountedRequest, totalsOf } from './count-requests.ts';

const MILLION = 1_000_000;

/** Requests nobody can count from inside: the API takes one per submit, and each handler was invoked by AWS. */
export interface OutsideRequests {
  readonly apiRequests: number;
  readonly invocations: number;
}

export interface CostRow {
  readonly service: string;
  readonly requests: number;
  readonly writeUnits?: number;
  /** Per million jobs. */
  readonly dollars: number;
}

/** What one of `jobs` jobs costs on average, service by service and in all. */
export function costPerJob(
  jobs: number,
  counted: readonly CountedRequest[],
  { apiRequests, invocations }: OutsideRequests,
): CostRow[] {
  const per = (total: number) => total / jobs;
  const to = (service: string) =>
    totalsOf(counted.filter((request) => request.service === service));
  const [dynamo, sqs] = [to('DynamoDB'), to('SQS')];
  const rows: CostRow[] = [
    row('API Gateway (REST)', per(apiRequests), PRICES.apiRequest),
    row('Lambda', per(invocations), PRICES.invocation),
    {
      service: 'DynamoDB',
      requests: per(dynamo.requests),
      writeUnits: per(dynamo.writeUnits),
      dollars: per(dynamo.writeUnits) * PRICES.writeUnit * MILLION,
    },
    row('SQS', per(sqs.requests), PRICES.queueRequest),
  ];
  return [...rows, inAll(rows)];
}

function row(service: string, requests: number, price: number): CostRow {
  return { service, requests, dollars: requests * price * MILLION };
}

function inAll(rows: readonly CostRow[]): CostRow {
  const sum = (of: (row: CostRow) => number) => rows.reduce((total, one) => total + of(one), 0);
  return {
    service: 'in all',
    requests: sum(({ requests }) => requests),
    writeUnits: sum(({ writeUnits = 0 }) => writeUnits),
    dollars: sum(({ dollars }) => dollars),
  };
}

/** Cells of a table in Markdown, line by line. */
export function costTable(rows: readonly CostRow[]): string[][] {
  return rows.map(({ service, requests, writeUnits, dollars }) => [
    service,
    figure(requests),
    writeUnits === undefined ? '' : figure(writeUnits),
    `$${dollars.toFixed(2)}`,
  ]);
}

/** One decimal where there is one to show; more would be hidden, which a budget must not. */
function figure(value: number): string {
  return String(Number(value.toFixed(6)));
}
