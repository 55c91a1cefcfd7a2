import type { Load, Settings } from './load.ts';
import { PRICES } from './prices.ts';
import type { Requests } from './requests.ts';

export interface CostLine {
  readonly line: string;
  readonly dollarsPerMonth: number;
}

/** 30 days. */
export const SECONDS_PER_MONTH = 2_592_000;
const GB = 1024 ** 3;

/** Dollars a month by line, at the steady state: what retention keeps has piled up. */
export function monthlyCost(load: Load, settings: Settings, requests: Requests): CostLine[] {
  const jobs = load.jobsPerSecond * SECONDS_PER_MONTH;
  const keptMonths = settings.retentionDays / 30;
  const line = (name: string, perJob: number): CostLine => ({
    line: name,
    dollarsPerMonth: jobs * perJob,
  });
  const { tableBytes, objectBytes, logBytes } = requests;
  return [
    line('API Gateway (REST)', requests.apiRequests * PRICES.apiRequest),
    line('Lambda requests', requests.invocations * PRICES.invocation),
    line('Lambda compute', requests.gbSeconds * PRICES.gbSecond),
    line('SQS', requests.queueRequests * PRICES.queueRequest),
    line('DynamoDB writes', requests.writeUnits * PRICES.writeUnit),
    line('DynamoDB reads', requests.readUnits * PRICES.readUnit),
    line('DynamoDB storage', (tableBytes / GB) * PRICES.tableGbMonth * keptMonths),
    line(
      'S3',
      requests.objectPuts * PRICES.objectPut +
        requests.objectGets * PRICES.objectGet +
        (objectBytes / GB) * PRICES.objectGbMonth * keptMonths,
    ),
    line('CloudWatch logs', (logBytes / GB) * PRICES.logGb),
  ];
}

/** The same load elsewhere on AWS, with the same compute for every second of a job: there, no two jobs share an invocation. */
export function alternatives(load: Load, settings: Settings): CostLine[] {
  const jobs = load.jobsPerSecond * SECONDS_PER_MONTH;
  const { steps, durationSeconds } = load;
  const compute = durationSeconds * (settings.memoryMb / 1024) * PRICES.gbSecond;
  const gbWritten = (load.inputBytes + load.resultBytes + steps * load.outcomeBytes) / GB;
  const stepFunctions =
    PRICES.httpApiRequest + PRICES.stateTransition * (steps + 1) + PRICES.invocation * steps;
  const durableFunctions =
    PRICES.httpApiRequest +
    PRICES.invocation * 2 +
    PRICES.durableOperation * (steps + 1) +
    gbWritten * (PRICES.durableGbWritten + PRICES.durableGbMonth * (settings.retentionDays / 30));
  return [
    { line: 'Step Functions Standard', dollarsPerMonth: jobs * (stepFunctions + compute) },
    { line: 'Lambda durable functions', dollarsPerMonth: jobs * (durableFunctions + compute) },
  ];
}

export function total(lines: readonly CostLine[]): number {
  return lines.reduce((sum, { dollarsPerMonth }) => sum + dollarsPerMonth, 0);
}
