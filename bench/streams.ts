/**
 * What open event streams take on this machine: `npm run bench:streams -- --streams 100`. The streams are of one job at work, and then all
 * read the history of a long one at the same time.
 */
import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { ApiClient } from '../test/support/api-client.ts';
import { startLocalCloudProcess } from '../test/support/local-cloud.ts';
import { LocalControl } from '../test/support/local-control.ts';

const LOOK_EVERY_MS = 100;
const { streams } = parseArgs({ options: { streams: { type: 'string', default: '100' } } }).values;
const count = Number(streams);
const command = `npm run bench:streams -- --streams ${streams}`;

const cloud = await startLocalCloudProcess([`longhaul:events.reservedConcurrency=${count}`]);
try {
  const api = new ApiClient(cloud);
  const control = new LocalControl(cloud.controlUrl);
  const { jobId: history } = await api.run('fan-out', {
    items: 2_000,
    concurrency: 100,
    bytes: 700,
  });
  const live = await api.submit('five-steps', { steps: 150, stepMs: 200 });

  const memory = watchMemory(control);
  await Promise.all(Array.from({ length: count }, () => readToEnd(live)));
  print(
    'MB for live streams',
    memory.mostMb(),
    `${count} streams of a job of 30 s, 10 events a second`,
  );
  await Promise.all(Array.from({ length: count }, () => readToEnd(history)));
  print('MB for long histories', memory.mostMb(), `${count} streams of 2,002 events at once`);
  const processes = await control.processesOf('events');
  print('processes', processes.length, 'that serve events');
  await memory.stop();
} finally {
  await cloud.stop();
}

async function readToEnd(jobId: string): Promise<void> {
  const { keys, apiUrl } = cloud;
  const headers = { authorization: `Bearer ${keys.acme}` };
  const response = await fetch(`${apiUrl}/jobs/${jobId}/events`, { headers });
  const text = await response.text();
  if (!text.includes('event: job.succeeded')) {
    throw new Error(`a stream ended with ${response.status}: ${text.slice(-200)}`);
  }
}

/** The most that the processes of the events function held at once since the last question. */
function watchMemory(control: LocalControl) {
  let [most, isWatching] = [0, true];
  const watching = (async () => {
    while (isWatching) {
      const pids = await control.processesOf('events').catch(() => []);
      most = Math.max(most, await residentMb(pids));
      await delay(LOOK_EVERY_MS);
    }
  })();
  return {
    mostMb: () => {
      const seen = most;
      most = 0;
      return seen;
    },
    stop: async () => {
      isWatching = false;
      await watching;
    },
  };
}

async function residentMb(pids: readonly number[]): Promise<number> {
  if (pids.length === 0) return 0;
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', pids.join(',')]);
  return stdout.split('\n').reduce((sum, line) => sum + Number(line) / 1024, 0);
}

function print(what: string, figure: number, how: string): void {
  process.stdout.write(`${what.padEnd(28)}${figure.toFixed(1).padStart(8)}   ${how}; ${command}\n`);
}
