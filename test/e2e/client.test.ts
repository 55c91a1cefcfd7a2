import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { runCommand } from '../../cli/run-command.ts';
import {
  JobCancelledError,
  JobFailedError,
  type JobEvent,
  LonghaulClient,
  type TraceEntry,
  WaitTimeoutError,
} from '../../client/index.ts';
import { unkindNetwork, type UnkindNetwork } from '../support/cut-streams.ts';
import { ROOT } from '../support/source-tree.ts';
import { describeLocal, type LocalTarget, startLocalTarget } from '../support/target.ts';

jest.setTimeout(180_000);

const STREAMS = 3;

let target: LocalTarget;
let client: LonghaulClient;

function clientOver(network?: Pick<UnkindNetwork, 'fetch'>): LonghaulClient {
  const { apiUrl: baseUrl, keys } = target;
  const retry = { tries: 12, baseDelayMs: 20, maxDelayMs: 5_000 };
  return new LonghaulClient({ baseUrl, apiKey: keys.acme, retry, ...network });
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

const withoutId = ({ eventId: _, ...entry }: JobEvent): TraceEntry => entry;

const WHY = 'it bounds the streams there may be';

describeLocal('client and command line', WHY, () => {
  beforeAll(async () => {
    target = await startLocalTarget([`longhaul:events.reservedConcurrency=${STREAMS}`]);
    client = clientOver();
  });

  afterAll(async () => {
    await target.stop();
  });

  describe('the client', () => {
    it('submits a job, follows it to its result, and finds it in the list', async () => {
      const job = await client.submit({
        agent: 'echo',
        input: { value: 'größer' },
        tags: ['first'],
      });

      expect(job.replayed).toBe(false);
      expect(await client.result(job.jobId)).toEqual({ value: 'größer' });
      expect(await client.get(job.jobId)).toMatchObject({ status: 'succeeded', tags: ['first'] });
      const listed = await all(client.list({ tag: 'first', status: 'succeeded' }, { limit: 1 }));
      expect(listed.map(({ jobId }) => jobId)).toEqual([job.jobId]);
    });

    it('makes one job, though the answers to its submission get lost', async () => {
      const network = unkindNetwork({ losses: 3 });

      const job = await clientOver(network).submit({
        agent: 'echo',
        input: { value: 1 },
        tags: ['lost'],
      });

      expect(network.losses()).toBe(3);
      expect(job.replayed).toBe(true);
      await client.wait(job.jobId);
      expect(await all(client.list({ tag: 'lost' }))).toHaveLength(1);
    });

    it('brings every event once and in order, though the stream is cut ten times', async () => {
      const network = unkindNetwork({ cuts: 10 });
      const { jobId } = await client.submit({
        agent: 'five-steps',
        input: { steps: 20, stepMs: 50 },
      });

      const events = await all(clientOver(network).events(jobId));

      expect(network.cuts()).toBe(10);
      expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(events.length);
      expect(events.map(withoutId)).toEqual(await all(client.trace(jobId)));
      expect(events.at(-1)?.type).toBe('job.succeeded');
      const middle = events[7]?.eventId ?? '';
      expect(await all(client.events(jobId, { after: middle }))).toEqual(events.slice(8));
    });

    it('says by its errors how a job ended that has no result', async () => {
      const failing = await client.submit({ agent: 'failing', input: { terminal: true } });
      const error: unknown = await client.result(failing.jobId).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(JobFailedError);
      expect(error).toMatchObject({ code: 'step_failed', job: { jobId: failing.jobId } });

      const napping = await client.submit({ agent: 'nap', input: { ms: 3_600_000 } });
      await expect(client.wait(napping.jobId, { timeoutMs: 500 })).rejects.toThrow(
        WaitTimeoutError,
      );
      await client.cancel(napping.jobId);
      await expect(client.result(napping.jobId)).rejects.toThrow(JobCancelledError);

      const refused = client.submit({ agent: 'nobody', input: {} });
      await expect(refused).rejects.toMatchObject({
        code: 'unknown_agent',
        status: 422,
        requestId: expect.any(String),
        problem: { knownAgents: expect.arrayContaining(['echo']) },
      });
    });

    it('carries inputs and results that are larger than a request', async () => {
      const value = 'x'.repeat(3 * 1024 * 1024);

      const { jobId } = await client.submit({ agent: 'echo', input: { value } });

      expect(await client.result(jobId)).toEqual({ value });
      expect((await client.get(jobId)).resultUrl).toBeDefined();
    });

    it('gives signals, retries with a hint, and forks', async () => {
      const asking = await client.submit({ agent: 'ask', input: {} });
      await client.signal(asking.jobId, 'answer', { text: 'yes' });
      expect(await client.result(asking.jobId)).toEqual({ answers: ['yes'] });

      const forked = await client.fork(asking.jobId, { fromStep: 'announce' });
      expect(forked.forkOf).toBe(asking.jobId);
      await client.cancel(forked.jobId);

      const failing = await client.submit({ agent: 'failing', input: { terminal: true } });
      await client.wait(failing.jobId);
      const retried = await client.retry(failing.jobId, { hint: 'try harder' });
      expect(retried).toMatchObject({ generation: 2, hintCount: 1 });
      const types = (await all(client.events(failing.jobId))).map(({ type }) => type);
      expect(types.filter((type) => type === 'job.failed')).toHaveLength(2);
    });

    it('polls when it is told that no more streams can be opened', async () => {
      const waiting = await client.submit({ agent: 'ask', input: {} });
      const open = Array.from({ length: STREAMS }, () => client.events(waiting.jobId));
      await Promise.all(open.map((events) => events.next()));
      const paths: string[] = [];
      const spy: typeof globalThis.fetch = async (input, init) => {
        const response = await fetch(input, init);
        paths.push(`${new URL(input).pathname.split('/').at(-1) ?? ''} ${response.status}`);
        return response;
      };

      const { jobId } = await client.submit({ agent: 'nap', input: { ms: 2_000 } });
      const job = await clientOver({ fetch: spy }).wait(jobId);

      expect(job.status).toBe('succeeded');
      expect(paths.filter((path) => path.startsWith('events'))).toEqual(['events 503']);
      expect(paths.filter((path) => path === `${jobId} 200`).length).toBeGreaterThan(1);
      await client.signal(waiting.jobId, 'answer', { text: 'done' });
      for (const events of open) expect((await all(events)).at(-1)?.type).toBe('job.succeeded');
    });
  });

  describe('longhaul', () => {
    const INPUT = (value: object) => ['--input', JSON.stringify(value)];

    async function longhaul(...args: string[]) {
      const out: string[] = [];
      const notes: string[] = [];
      const code = await runCommand(args, {
        out: (line) => out.push(line),
        note: (line) => notes.push(line),
        env: { LONGHAUL_URL: target.apiUrl, LONGHAUL_KEY: target.keys.acme },
      });
      return { code, out, notes: notes.join('\n') };
    }

    it('submits in one process and watches in another, whose exit code tells how the job ended', async () => {
      const env = {
        ...process.env,
        NODE_OPTIONS: '',
        LONGHAUL_URL: target.apiUrl,
        LONGHAUL_KEY: target.keys.acme,
      };
      const run = (...args: string[]) =>
        promisify(execFile)(process.execPath, ['cli/longhaul.ts', ...args], { env, cwd: ROOT });

      const good = await run('submit', 'five-steps', ...INPUT({ steps: 3, stepMs: 100 }));
      const watched = await run('watch', good.stdout.trim(), '--timeout', '60s');
      expect(watched.stdout).toMatch(/✓ step-3 .*\n(?:.*\n)*progress +3 of 3, step 3 of 3/);
      expect(watched.stdout).toContain('"sum": 6');

      const bad = await run('submit', 'failing', ...INPUT({ terminal: true }), '--json');
      const { jobId } = JSON.parse(bad.stdout) as { jobId: string };
      await expect(run('watch', jobId)).rejects.toMatchObject({
        code: 3,
        stdout: expect.stringContaining('step_failed'),
      });
    });

    it('prints a result for a script, and ends with 4 and 5 where there is none', async () => {
      const { code, out } = await longhaul('submit', 'echo', ...INPUT({ value: 7 }), '--wait');
      expect({ code, result: JSON.parse(out.join('\n')) as unknown }).toEqual({
        code: 0,
        result: { value: 7 },
      });

      const nap = ['submit', 'nap', ...INPUT({ ms: 3_600_000 })];
      const late = await longhaul(...nap, '--wait', '--timeout', '300ms', '--tag', 'late');
      expect(late).toMatchObject({ code: 5, out: [] });
      const { out: listed } = await longhaul('list', '--tag', 'late', '--json');
      const { jobId } = JSON.parse(listed[0] ?? '') as { jobId: string };
      expect((await longhaul('cancel', jobId)).code).toBe(0);
      expect((await longhaul('watch', jobId)).code).toBe(4);
      expect((await longhaul('trace', jobId)).out.at(-1)).toContain('cancelled');
    });

    it('shows what the API refuses, and why', async () => {
      const unknown = await longhaul('submit', 'nobody', ...INPUT({}));
      expect(unknown.code).toBe(1);
      expect(unknown.notes).toMatch(/known agents: .*echo/);

      const wrong = await longhaul('submit', 'order', ...INPUT({ customer: { name: '' } }));
      expect(wrong.notes).toMatch(/\/input\/customer\/name: /);
      expect(wrong.notes).toMatch(/request \S+/);

      const stranger = await longhaul('get', 'job_x', '--key', `lh_${'x'.repeat(43)}`);
      expect(stranger).toMatchObject({ code: 1, notes: expect.stringContaining('LONGHAUL_KEY') });
      expect(stranger.notes).not.toContain('xxxx');
    });
  });
});
