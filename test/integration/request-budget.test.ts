import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type BudgetWorld, startBudgetWorld } from '../support/budget-world.ts';
import type { CountedRequest } from '../support/count-requests.ts';
import { type CostRow, costPerJob, costTable } from '../support/job-cost.ts';
import { readProjectFile } from '../support/source-tree.ts';

jest.setTimeout(120_000);

const JOBS = 10;
/** `design.md` promises no more than this for each job. */
const TARGETS = { requests: 14, writeUnits: 13.5, dollarsPerMillion: 13, dollarsWithoutApi: 10 };
const COMMAND = 'npm test -- test/integration/request-budget';

describe('what ten jobs of five steps in one batch ask of AWS', () => {
  let world: BudgetWorld;
  let requests: readonly CountedRequest[];
  let submitted: number;
  let cost: CostRow[];

  beforeAll(async () => {
    world = await startBudgetWorld();
    const jobIds = await Promise.all(
      Array.from({ length: JOBS }, () => world.submit('five-steps', {})),
    );
    submitted = world.requests.length;
    expect(await world.deliver()).toBe(JOBS);
    requests = [...world.requests];
    cost = costPerJob(JOBS, requests, { apiRequests: JOBS, invocations: JOBS + 1 });
    for (const jobId of jobIds) {
      const job = await world.jobs.getJob(jobId);
      expect(job).toMatchObject({ status: 'succeeded', epoch: 1, totals: { stepsSucceeded: 5 } });
      expect(job?.result).toEqual({ kind: 'inline', json: '{"sum":15}' });
    }
  });

  afterAll(async () => {
    await world.stop();
  });

  it('is this when they are submitted: key, job, hint, key', () => {
    expect(bill(requests.slice(0, submitted))).toEqual({
      'DynamoDB PutItem idempotency': { requests: 10, writeUnits: 10 },
      'DynamoDB PutItem jobs': { requests: 10, writeUnits: 30 },
      'SQS SendMessage queue': { requests: 10, writeUnits: 0 },
      'DynamoDB UpdateItem idempotency': { requests: 10, writeUnits: 10 },
    });
  });

  it('is this when they run: one lease, then claim, a page for each step, the end, and once what the tenant used', () => {
    expect(bill(requests.slice(submitted))).toEqual({
      'SQS ReceiveMessage queue': { requests: 1, writeUnits: 0 },
      'DynamoDB PutItem jobs': { requests: 1 + 50, writeUnits: 2 + 50 },
      'DynamoDB UpdateItem jobs': { requests: 10 + 10 + 1, writeUnits: 10 + 20 + 1 },
      'DynamoDB DeleteItem jobs': { requests: 1, writeUnits: 2 },
      'SQS DeleteMessageBatch queue': { requests: 1, writeUnits: 0 },
    });
  });

  it('stays within the budget of a job', () => {
    const [api, all] = [cost[0], cost.at(-1)];

    expect(all?.requests).toBeLessThanOrEqual(TARGETS.requests);
    expect(all?.writeUnits).toBeLessThanOrEqual(TARGETS.writeUnits);
    expect(all?.dollars).toBeLessThanOrEqual(TARGETS.dollarsPerMillion);
    expect((all?.dollars ?? 0) - (api?.dollars ?? 0)).toBeLessThanOrEqual(
      TARGETS.dollarsWithoutApi,
    );
  });

  it('is what the README says', () => {
    const readme = readProjectFile('README.md');
    const start = readme.indexOf('<!-- cost: figures from the request budget test -->');
    const section = readme.slice(start, readme.indexOf('\n## ', start));

    const lines = section.split('\n').filter((line) => /^\|(?! *(?:-|per ))/.test(line));
    expect(lines.map(cellsOf)).toEqual(costTable(cost));
    expect(section).toContain(COMMAND);
  });
});

describe('what a batch of a hundred jobs asks of AWS', () => {
  let world: BudgetWorld;

  beforeAll(async () => {
    world = await startBudgetWorld();
  });

  afterAll(async () => {
    await world.stop();
  });

  it.each([
    {
      isKeyed: true,
      expected: {
        'DynamoDB PutItem idempotency': { requests: 100, writeUnits: 100 },
        'DynamoDB PutItem jobs': { requests: 100, writeUnits: 300 },
        'DynamoDB UpdateItem idempotency': { requests: 100, writeUnits: 100 },
        'SQS SendMessageBatch queue': { requests: 10, writeUnits: 0 },
      },
    },
    {
      isKeyed: false,
      expected: {
        'DynamoDB PutItem jobs': { requests: 100, writeUnits: 300 },
        'SQS SendMessageBatch queue': { requests: 10, writeUnits: 0 },
      },
    },
  ])('is this, with keys: $isKeyed', async ({ isKeyed, expected }) => {
    const before = world.requests.length;

    await world.submitBatch(100, { isKeyed });

    expect(bill(world.requests.slice(before))).toEqual(expected);
  });
});

/** Requests and write units by service, operation and kind of resource, in the order of their first request. */
function bill(requests: readonly CountedRequest[]) {
  const sums: Record<string, { requests: number; writeUnits: number }> = {};
  for (const { service, operation, target, units } of requests) {
    const kind = /[a-z]+(?=-[0-9a-f-]{36}$)/.exec(target)?.[0] ?? target;
    const sum = (sums[`${service} ${operation} ${kind}`] ??= { requests: 0, writeUnits: 0 });
    sum.requests += 1;
    sum.writeUnits += units?.total ?? 0;
  }
  return sums;
}

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.replaceAll('*', '').trim());
}
