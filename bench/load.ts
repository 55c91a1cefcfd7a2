/**
 * How fast the local cloud carries jobs, how soon a crash is made good, and what a job asks of AWS. Figures of a machine, not
 * of AWS: `npm run bench:load -- --jobs 1000`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ApiClient } from '../test/support/api-client.ts';
import { startLocalCloudProcess } from '../test/support/local-cloud.ts';
import { LocalControl, type QueueReads } from '../test/support/local-control.ts';

const CLIENTS = 100;
const { jobs } = parseArgs({ options: { jobs: { type: 'string', default: '500' } } }).values;
const command = `npm run bench:load -- --jobs ${jobs}`;

const cloud = await startLocalCloudProcess();
try {
  const bench = { api: new ApiClient(cloud), control: new LocalControl(cloud.controlUrl) };
  await bench.api.run('five-steps', {});
  const load = await carry(bench, Number(jobs));
  print('jobs per second', load.jobsPerSecond, `${jobs} jobs of five steps, submitted at once`);
  print(
    'requests per job, DynamoDB',
    load.tableRequests,
    `batches of ${load.batchSize} on average`,
  );
  print('requests per job, SQS', load.queueRequests, 'empty polls left out');
  print('seconds to resume', await resume(bench), 'from a crash to the next attempt, lease of 6 s');
} finally {
  await cloud.stop();
}

interface Bench {
  readonly api: ApiClient;
  readonly control: LocalControl;
}

async function carry({ api, control }: Bench, count: number) {
  await control.resetCalls('submit');
  await control.resetCalls('worker');
  const before = await control.queueReads();
  const startedAt = Date.now();
  const jobIds = await submitAll(api, count);
  for (const jobId of jobIds) await api.finalJob(jobId, { withinMs: 600_000 });
  const seconds = (Date.now() - startedAt) / 1_000;
  const reads = difference(await control.queueReads(), before);
  const [submit, worker] = [await control.callCounts('submit'), await control.callCounts('worker')];
  const sum = (service: string) =>
    [submit, worker]
      .flatMap(Object.entries<number>)
      .reduce((total, [name, calls]) => (name.startsWith(service) ? total + calls : total), 0);
  return {
    jobsPerSecond: count / seconds,
    tableRequests: sum('dynamodb:') / count,
    queueRequests: (sum('sqs:') + reads.receives + reads.deletes) / count,
    batchSize: (count / reads.receives).toFixed(1),
  };
}

async function submitAll(api: ApiClient, count: number): Promise<string[]> {
  const jobIds: string[] = [];
  let left = count;
  const client = async (): Promise<void> => {
    while (left-- > 0) jobIds.push(await api.submit('five-steps', {}));
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return jobIds;
}

/** Kills the worker in the second of three steps. */
async function resume({ api, control }: Bench): Promise<number> {
  const jobId = await api.submit('five-steps', { steps: 3, stepMs: 1_000 });
  while (!(await api.trace(jobId)).some(({ type }) => type === 'step.succeeded')) await delay(50);
  await control.crashAll('worker');
  const diedAt = Date.now();
  await api.finalJob(jobId);
  const next = (await api.trace(jobId)).find(({ type }) => type === 'attempt.started');
  return (Date.parse(next?.at ?? '') - diedAt) / 1_000;
}

function difference(now: QueueReads, before: QueueReads): QueueReads {
  return { receives: now.receives - before.receives, deletes: now.deletes - before.deletes };
}

function print(what: string, figure: number, how: string): void {
  process.stdout.write(`${what.padEnd(28)}${figure.toFixed(1).padStart(8)}   ${how}; ${command}\n`);
}
