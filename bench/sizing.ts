/**
 * What a load asks of the local cloud, beside what `longhaul size` says of the same load: `npm run bench:sizing -- --jobs 2000 --rate 12`.
 * What the local cloud does not have is said in docs/sizing.md.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Load, Settings } from '../src/sizing/load.ts';
import { type Sizing, sizeOf } from '../src/sizing/size.ts';
import { ApiClient } from '../test/support/api-client.ts';
import { startLocalCloudProcess } from '../test/support/local-cloud.ts';
import { LocalControl, type MetricReport, type QueueReads } from '../test/support/local-control.ts';

const {
  jobs,
  rate,
  'step-ms': stepMs,
  progress,
} = parseArgs({
  options: {
    jobs: { type: 'string', default: '2000' },
    rate: { type: 'string', default: '12' },
    'step-ms': { type: 'string', default: '400' },
    progress: { type: 'boolean', default: false },
  },
}).values;
const COUNT = Number(jobs);
const STEPS = 5;
const SETTINGS: Settings = {
  timeoutSeconds: 300,
  memoryMb: 512,
  batchSize: 10,
  batchingWindowSeconds: 0,
  maxConcurrency: 5,
  leaseSeconds: 60,
  retentionDays: 90,
};
const LOOK_EVERY_MS = 1_000;
/** Beginning and end are no steady state. */
const STEADY_FROM = 0.2;
const STEADY_TO = 0.95;
/** Requests are counted for the API and for its stage; this is the one for the stage. */
const STAGE = /\//;
/** The local DynamoDB leaves indexes out: a job enters two and leaves one, a manifest enters and leaves one. */
const INDEX_UNITS = { ofJob: 3, ofInvocation: 2 };

const cloud = await startLocalCloudProcess([
  `longhaul:worker.maxConcurrency=${SETTINGS.maxConcurrency}`,
  `longhaul:worker.batchSize=${SETTINGS.batchSize}`,
  `longhaul:leaseSeconds=${SETTINGS.leaseSeconds}`,
]);
try {
  const api = new ApiClient(cloud);
  const control = new LocalControl(cloud.controlUrl);
  await api.run('five-steps', {});
  const measured = await carry(api, control);
  report(measured, sizeOf(measured.load, SETTINGS));
} finally {
  await cloud.stop();
}

interface Measured {
  readonly load: Load;
  readonly jobsInFlight: number;
  readonly jobsPerInvocation: number;
  readonly apiRequests: number;
  readonly invocations: number;
  readonly queueRequests: number;
  readonly tableUnits: number;
  readonly writeUnits: number;
  readonly gbSeconds: number;
}

async function carry(api: ApiClient, control: LocalControl): Promise<Measured> {
  await control.forgetMetrics();
  for (const name of ['submit', 'worker']) await control.resetCalls(name);
  const readsBefore = await control.queueReads();
  const startedAt = Date.now();
  const [inFlight, submitMs] = await Promise.all([watch(control), submitAll(api)]);
  const seconds = (Date.now() - startedAt) / 1_000;
  const own = ofService(await control.metrics('Longhaul'));
  const lambda = await control.metrics('AWS/Lambda');
  const gateway = await control.metrics('AWS/ApiGateway');
  const worker = (name: string) => sumOf(lambda, name, /Worker/);
  const sends = await Promise.all(['submit', 'worker'].map((name) => control.callCounts(name)));
  const reads = difference(await control.queueReads(), readsBefore);
  const sliceSeconds = own('SliceMs').sum / own('SliceMs').count / 1_000;
  const tableUnits = own('WriteUnits').sum / COUNT;
  const k = COUNT / worker('Invocations');
  process.stdout.write(`${COUNT} jobs in ${seconds.toFixed(0)} s\n`);
  return {
    load: {
      jobsPerSecond: COUNT / (submitMs / 1_000),
      durationSeconds: sliceSeconds,
      steps: STEPS,
      ...{ inputBytes: 20, outcomeBytes: 1, resultBytes: 10, readsPerJob: 0 },
    },
    jobsInFlight: inFlight,
    jobsPerInvocation: k,
    apiRequests: sumOf(gateway, 'Count', STAGE) / COUNT,
    invocations: (worker('Invocations') + sumOf(lambda, 'Invocations', /Submit/)) / COUNT,
    queueRequests: (sqsCalls(sends) + reads.receives + reads.deletes) / COUNT,
    tableUnits,
    writeUnits: tableUnits + INDEX_UNITS.ofJob + INDEX_UNITS.ofInvocation / k,
    gbSeconds: ((worker('Duration') / 1_000) * (SETTINGS.memoryMb / 1_024)) / COUNT,
  };
}

/** At an even pace; the time it took in ms. */
async function submitAll(api: ApiClient): Promise<number> {
  const startedAt = Date.now();
  const sent: Promise<string>[] = [];
  for (let number = 0; number < COUNT; number += 1) {
    const wait = startedAt + (number * 1_000) / Number(rate) - Date.now();
    if (wait > 0) await delay(wait);
    const input = { steps: STEPS, stepMs: Number(stepMs), progress };
    const headers = { 'idempotency-key': `job-${number}` };
    const submitted = api.submit('five-steps', input, { headers });
    // Looked at below; until then one that fails must not count as nobody's.
    submitted.catch(() => undefined);
    sent.push(submitted);
  }
  await Promise.all(sent);
  return Date.now() - startedAt;
}

/** Until all jobs have ended; the average of the jobs that workers held meanwhile. */
async function watch(control: LocalControl): Promise<number> {
  const looks: { readonly started: number; readonly held: number }[] = [];
  for (;;) {
    const own = ofService(await control.metrics('Longhaul'));
    if (own('JobsSucceeded').sum >= COUNT) break;
    const queues = await control.metrics('AWS/SQS');
    const held = lastOf(queues, 'ApproximateNumberOfMessagesNotVisible', /QueueJobs/);
    looks.push({ started: own('JobsSubmitted').sum / COUNT, held });
    await delay(LOOK_EVERY_MS);
  }
  const steady = looks.filter(({ started }) => started > STEADY_FROM && started < STEADY_TO);
  return steady.reduce((sum, { held }) => sum + held, 0) / steady.length;
}

function report(measured: Measured, { demand, requests, load }: Sizing): void {
  const { gbSeconds: withoutWorker } = sizeOf(load, { ...SETTINGS, memoryMb: 0 }).requests;
  const command = `npm run bench:sizing -- --jobs ${jobs} --rate ${rate} --step-ms ${stepMs}${progress ? ' --progress' : ''}`;
  process.stdout.write(
    `${load.jobsPerSecond.toFixed(1)} jobs a second of ${load.durationSeconds.toFixed(2)} s; ${command}\n`,
  );
  const row = (what: string, local: number, size: number): string =>
    [
      what.padEnd(36),
      local.toFixed(2).padStart(9),
      size.toFixed(2).padStart(9),
      `${(100 * (size / local - 1)).toFixed(0)} %`.padStart(8),
    ].join('');
  const rows = [
    `${''.padEnd(36)}${'measured'.padStart(9)}${'size'.padStart(9)}${'differs'.padStart(8)}`,
    row('jobs in flight', measured.jobsInFlight, demand.jobsInFlight),
    row('jobs in an invocation', measured.jobsPerInvocation, demand.jobsPerInvocation),
    row('API requests of a job', measured.apiRequests, requests.apiRequests),
    row('invocations of a job', measured.invocations, requests.invocations),
    row('SQS requests of a job', measured.queueRequests, requests.queueRequests),
    row('write units of a job', measured.writeUnits, requests.writeUnits),
    row(
      'GB-seconds of the worker, of a job',
      measured.gbSeconds,
      requests.gbSeconds - withoutWorker,
    ),
  ];
  process.stdout.write(`${rows.join('\n')}\n`);
  process.stdout.write(
    `write units without indexes, as counted: ${measured.tableUnits.toFixed(2)}\n`,
  );
}

/** Of all that a function sends, what is not split by a dimension. */
function ofService(metrics: readonly MetricReport[]): (name: string) => MetricReport {
  return (name) =>
    metrics.find(
      (metric) => metric.name === name && Object.keys(metric.dimensions).join() === 'service',
    ) ?? { name, dimensions: {}, sum: 0, count: 0, last: 0 };
}

function named(metrics: readonly MetricReport[], name: string, of: RegExp): MetricReport[] {
  return metrics.filter(
    (metric) => metric.name === name && of.test(Object.values(metric.dimensions).join('/')),
  );
}

function sumOf(metrics: readonly MetricReport[], name: string, of: RegExp): number {
  return named(metrics, name, of).reduce((total, { sum }) => total + sum, 0);
}

function lastOf(metrics: readonly MetricReport[], name: string, of: RegExp): number {
  return named(metrics, name, of).reduce((total, { last }) => total + last, 0);
}

function sqsCalls(counts: readonly Readonly<Record<string, number>>[]): number {
  return counts
    .flatMap(Object.entries<number>)
    .reduce((total, [name, calls]) => (name.startsWith('sqs:') ? total + calls : total), 0);
}

function difference(now: QueueReads, before: QueueReads): QueueReads {
  return { receives: now.receives - before.receives, deletes: now.deletes - before.deletes };
}
