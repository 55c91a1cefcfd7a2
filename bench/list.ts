/**
 * What a page of `GET /jobs` asks of DynamoDB with a hundred jobs of one tenant and with many, and how long the emulator takes
 * for it: `npm run bench:list -- --jobs 100000`.
 */
import { parseArgs } from 'node:util';
import { documentClient } from '../src/adapters/dynamodb/document-client.ts';
import { dynamoJobStore } from '../src/adapters/dynamodb/job-store.ts';
import { type JobFilters, listJobs } from '../src/core/commands/list-jobs.ts';
import type { ListPosition } from '../src/core/job/list-position.ts';
import { aJob, NOON } from '../test/support/builders.ts';
import { countReadUnits } from '../test/support/count-read-units.ts';
import { startDynamo } from '../test/support/emulators.ts';
import { seedJobs } from '../test/support/seed-jobs.ts';

const { jobs } = parseArgs({ options: { jobs: { type: 'string', default: '100000' } } }).values;
const FEW = 100;

const dynamo = await startDynamo();
const client = dynamo.connect();
const table = await dynamo.createTable();
const store = dynamoJobStore({
  client: documentClient(client),
  name: table,
  clock: { now: () => NOON },
});
const units = countReadUnits(client);

await seed(0, FEW);
await show(FEW);
await seed(FEW, Number(jobs));
await show(Number(jobs));

client.destroy();
await dynamo.stop();

async function seed(from: number, to: number): Promise<void> {
  const some = Array.from({ length: to - from }, (_, index) => {
    const number = from + index;
    const isFinished = number % 50 !== 0;
    return aJob({
      jobId: `job_${String(number).padStart(26, '0')}`,
      createdAt: NOON - number,
      status: isFinished ? 'succeeded' : 'failed',
    });
  });
  await seedJobs(documentClient(dynamo.client), table, some);
}

async function show(count: number): Promise<void> {
  console.log(`${count} jobs`);
  const first = await page('first page of 20', {});
  await page('second page of 20', {}, first);
  const far: ListPosition = { createdAt: NOON - Math.floor(count / 2), jobIds: [] };
  await page('page from the middle', {}, far);
  await page('first page of failed ones', { status: 'failed' });
}

async function page(what: string, filters: JobFilters, after?: ListPosition) {
  units.length = 0;
  const startedAt = performance.now();
  const query = { tenantId: 'acme', filters, limit: 20, ...(after !== undefined && { after }) };
  const found = await listJobs({ jobs: store }, query);
  const ms = performance.now() - startedAt;
  const sum = units.reduce((total, one) => total + one, 0);
  console.log(
    `  ${what}: ${units.length} requests, ${sum} read units, ${found.jobs.length} rows, ${ms.toFixed(0)} ms`,
  );
  return found.next;
}
