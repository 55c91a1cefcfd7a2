/**
 * Worker environments die at random while mixed jobs run: sleeps, tries that fail, signals, sub-jobs. Every job must end with
 * the right result, and every step must have run under one idempotency key: `npm run bench:chaos -- --jobs 300 --seconds 120`.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ApiClient } from '../test/support/api-client.ts';
import { startLocalCloudProcess } from '../test/support/local-cloud.ts';
import { LocalControl } from '../test/support/local-control.ts';

const options = parseArgs({
  options: {
    jobs: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '120' },
  },
}).values;
const CLIENTS = 20;
const END_LIMIT_MS = 300_000;

interface Submitted {
  readonly jobId: string;
  readonly children: number;
  readonly signal: boolean;
}

const folder = await mkdtemp(join(tmpdir(), 'longhaul-chaos-'));
const effects = join(folder, 'effects.txt');
const cloud = await startLocalCloudProcess();
try {
  const api = new ApiClient(cloud);
  const until = Date.now() + Number(options.seconds) * 1_000;
  const [jobs, deaths] = await Promise.all([
    submitAll(api, Number(options.jobs), until),
    killAtRandom(new LocalControl(cloud.controlUrl), until),
  ]);
  const faults = (await inTurn(jobs, (job) => faultOf(api, job))).filter((fault) => fault !== '');
  faults.push(...(await keyFaults()));
  for (const fault of faults) console.log(fault);
  console.log(`${jobs.length} jobs, ${deaths} environments killed, ${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await cloud.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Spread over the time in which environments die. */
async function submitAll(api: ApiClient, count: number, until: number): Promise<Submitted[]> {
  const pauseMs = ((until - Date.now()) * 0.8) / count;
  const jobs: Submitted[] = [];
  for (let n = 0; n < count; n++) {
    const children = n % 8 === 0 ? 3 : 0;
    const signal = n % 5 === 0;
    const input = { effects, children, signal };
    jobs.push({ jobId: await api.submit('mixed', input), children, signal });
    await delay(pauseMs);
  }
  return jobs;
}

async function killAtRandom(control: LocalControl, until: number): Promise<number> {
  let deaths = 0;
  while (Date.now() < until) {
    await delay(500 + Math.random() * 2_500);
    const busy = await control.busyEnvironments('worker');
    const victims = busy.filter(() => Math.random() < 0.5);
    for (const victim of victims) {
      // It may have ended meanwhile.
      await control.crash(victim).catch(() => undefined);
      deaths++;
    }
  }
  return deaths;
}

/** What is wrong with the end of a job; empty when nothing is. */
async function faultOf(api: ApiClient, { jobId, children, signal }: Submitted): Promise<string> {
  if (signal) await api.command(jobId, 'signals/go', { text: 'go' });
  const { status, result, error } = await api.finalJob(jobId, { withinMs: END_LIMIT_MS });
  const expected = { parts: [10, 20, 30], children, said: signal ? 'go' : '' };
  const isRight = status === 'succeeded' && JSON.stringify(result) === JSON.stringify(expected);
  if (!isRight) return `${jobId} ended ${status}: ${JSON.stringify(result ?? error)}`;
  const steps = (await api.trace(jobId)).flatMap((entry) =>
    entry.type === 'step.succeeded' ? [entry.step] : [],
  );
  return new Set(steps).size === steps.length && steps.length === 5
    ? ''
    : `${jobId} recorded the steps ${steps.join(', ')}`;
}

async function keyFaults(): Promise<string[]> {
  const keys = new Map<string, Set<string>>();
  for (const line of (await readFile(effects, 'utf8')).trim().split('\n')) {
    const [jobId, step, key] = line.split(' ');
    const name = `${jobId ?? ''} ${step ?? ''}`;
    keys.set(name, (keys.get(name) ?? new Set()).add(key ?? ''));
  }
  return [...keys].flatMap(([name, { size }]) =>
    size === 1 ? [] : [`${name} ran under ${size} keys`],
  );
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = [...items];
  const lane = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      results.push(await work(item));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, lane));
  return results;
}
