import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { JobHistory } from '../../src/core/ports/job-store.ts';
import { ApiClient, jobOf, problemOf } from '../support/api-client.ts';
import { describeLocal, type LocalTarget, startLocalTarget } from '../support/target.ts';

jest.setTimeout(600_000);

const STEPS = ['step-1', 'step-2', 'step-3', 'step-4', 'step-5'];
const RESULT = { kind: 'inline', json: '{"sum":15}' };
const FINAL = ['succeeded', 'failed', 'cancelled'];
/** Requests in flight at a time: each takes a connection of its own. */
const CLIENTS = 100;
const WITHIN_MS = 420_000;

// Batch size, concurrency and timeouts of the template (peer fault 14): test/integration/local/event-source.test.ts.
describeLocal('under load', 'it breaks environments and reads the table', () => {
  let target: LocalTarget;
  let api: ApiClient;

  beforeAll(async () => {
    target = await startLocalTarget();
    api = new ApiClient(target);
    await api.run('five-steps', {});
  });

  afterAll(async () => {
    await target.stop();
  });

  async function submitAll(count: number, input: object): Promise<string[]> {
    const jobIds = await inLanes(count, CLIENTS, () => api.submit('five-steps', input));
    expect(new Set(jobIds).size).toBe(count);
    return jobIds;
  }

  /** The job with its whole journal, once it has ended. */
  async function endOf(jobId: string): Promise<JobHistory> {
    const deadline = Date.now() + WITHIN_MS;
    for (;;) {
      const job = await target.jobs.getJob(jobId);
      if (FINAL.includes(job?.status ?? '')) return target.jobs.loadHistory(jobId);
      if (Date.now() > deadline) throw new Error(`job ${jobId} is still ${job?.status}`);
      await delay(250);
    }
  }

  /** Waits for all of them. Each has the right result, and of each step one outcome. */
  async function endsOf(jobIds: readonly string[]): Promise<JobHistory[]> {
    const ends = await inLanes(jobIds.length, 10, (at) => endOf(jobIds[at] ?? ''));
    for (const { job, pages } of ends) {
      expect(job).toMatchObject({ status: 'succeeded', result: RESULT });
      const outcomes = pages
        .flatMap(({ entries }) => entries)
        .flatMap((entry) => (entry.type === 'step.succeeded' ? [entry.stepId] : []));
      expect(outcomes).toEqual(STEPS);
    }
    return ends;
  }

  const attemptsOf = (ends: readonly JobHistory[]) => ends.map(({ job }) => job?.epoch);

  it('does a thousand jobs of five steps that come at once, and records each step once', async () => {
    const jobIds = await submitAll(1_000, {});

    await endsOf(jobIds);
  });

  it('makes one job of a key that two clients send at once', async () => {
    const other = new ApiClient(target);
    const keys = Array.from({ length: 50 }, () => randomUUID());

    const pairs = await Promise.all(
      keys.map((key) => Promise.all([accepted(api, key), accepted(other, key)])),
    );

    pairs.forEach(([one, two]) => {
      expect(one).toBe(two);
    });
    const jobIds = [...new Set(pairs.flat())];
    expect(jobIds).toHaveLength(keys.length);
    await endsOf(jobIds);
  });

  // Peer fault 5: a restart of everything produced thousands of duplicates.
  it('runs each job once that was queued while everything stopped and started', async () => {
    await target.control.pauseQueues();
    const jobIds = await submitAll(1_000, {});
    await target.control.crashAll();
    await target.control.resumeQueues();

    const ends = await endsOf(jobIds);

    expect(new Set(attemptsOf(ends))).toEqual(new Set([1]));
  });

  it('ends two hundred jobs rightly while all of their workers are killed five times', async () => {
    const jobIds = await submitAll(200, { stepMs: 100 });
    const killed: number[] = [];
    // Three times those of a first attempt, then twice those of jobs that were taken back from the dead.
    for (const reason of ['submitted', 'submitted', 'submitted', 'crashed', 'crashed']) {
      await workersWith(reason);
      killed.push((await target.control.busyEnvironments('worker')).length);
      await target.control.crashAll('worker');
    }

    const ends = await endsOf(jobIds);

    expect(Math.min(...killed)).toBeGreaterThan(0);
    expect(Math.max(...attemptsOf(ends).map(Number))).toBeGreaterThan(1);
  });

  /** Until a worker is at a job for this reason. */
  async function workersWith(reason: string): Promise<void> {
    const deadline = Date.now() + WITHIN_MS;
    for (;;) {
      const busy = await target.control.busyEnvironments('worker');
      if (busy.some(({ messages }) => messages.join().includes(`"reason":"${reason}"`))) return;
      if (Date.now() > deadline) throw new Error(`no worker has a job that was ${reason}`);
      await delay(50);
    }
  }
});

/** Submits as a client does that keeps to its key until it is answered. */
async function accepted(client: ApiClient, key: string): Promise<string> {
  for (;;) {
    const body = { agent: 'five-steps', input: {} };
    const response = await client.post(body, { headers: { 'idempotency-key': key } });
    if (response.status === 202) return jobOf(response, 202).jobId;
    expect(problemOf(response).code).toBe('idempotency_in_progress');
    await delay(1_000 * Number(response.headers['retry-after']));
  }
}

/** `work` for 0 to `count` - 1, `lanes` at a time. */
async function inLanes<T>(
  count: number,
  lanes: number,
  work: (at: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) results[at] = await work(at);
  };
  await Promise.all(Array.from({ length: Math.min(lanes, count) }, lane));
  return results;
}
