import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { JobRepresentation } from '../../src/protocol/job.ts';
import { ApiClient } from '../support/api-client.ts';
import type { RunningEnvironment } from '../support/local-control.ts';
import { describeLocal, type LocalTarget, startLocalTarget } from '../support/target.ts';

jest.setTimeout(300_000);

/** Three attempts that die take three leases, looks of the sweeper and starts of an environment. */
const WITHIN = { withinMs: 240_000 };
const JOBS_QUEUE = 'queuejobs';
const NEIGHBOUR = ['five-steps', { stepMs: 100 }] as const;
const SUM = { sum: 15 };
const FINAL = ['succeeded', 'failed', 'cancelled'];

const DEATHS = [
  { how: 'oom', what: 'runs out of memory' },
  { how: 'exit', what: 'exits' },
  { how: 'busy-loop', what: 'loops for ever' },
];

describeLocal('jobs of one batch', 'only here can a test put jobs into one batch', () => {
  let target: LocalTarget;
  let api: ApiClient;
  let deaths: Record<string, Promise<[JobRepresentation, JobRepresentation[]]>> | undefined;

  beforeAll(async () => {
    target = await startLocalTarget();
    api = new ApiClient(target);
    await api.run('echo', { value: 'warm' });
  });

  afterAll(async () => {
    await target.stop();
  });

  /** Jobs whose hints lie in the queue together when it is opened; `with_` may put more into it. */
  async function submitTogether(
    jobs: readonly (readonly [agent: string, input: object])[],
    with_ = () => Promise.resolve(),
  ): Promise<string[]> {
    await target.control.pauseQueues(JOBS_QUEUE);
    await with_();
    const jobIds = await Promise.all(jobs.map(([agent, input]) => api.submit(agent, input)));
    await target.control.resumeQueues(JOBS_QUEUE);
    await startOf(jobIds[0] ?? '');
    return jobIds;
  }

  const finalJobs = (jobIds: readonly string[]): Promise<JobRepresentation[]> =>
    Promise.all(jobIds.map((jobId) => api.finalJob(jobId, WITHIN)));

  async function deadLetter(jobId: string): Promise<Record<string, unknown>> {
    const [letter, ...others] = await target.queues.deadLetters(jobId, WITHIN);
    expect(others).toEqual([]);
    return JSON.parse(letter ?? '') as Record<string, unknown>;
  }

  function expectUntouched(neighbours: readonly JobRepresentation[]): void {
    for (const neighbour of neighbours) {
      expect(neighbour).toMatchObject({ status: 'succeeded', attempts: 1, result: SUM });
    }
  }

  describe('of which one throws, one hangs and one uses up its tries', () => {
    let jobs: JobRepresentation[];
    let calls: string[];

    beforeAll(async () => {
      await target.control.resetCalls('worker');
      const jobIds = await submitTogether([
        NEIGHBOUR,
        ['throwing', {}],
        ['sleepy', { ms: 20_000, obedient: false, timeoutMs: 700, retries: 0 }],
        NEIGHBOUR,
        ['failing', { retries: 1 }],
        NEIGHBOUR,
      ]);
      jobs = await finalJobs(jobIds);
      calls = await target.control.calls('worker');
    });

    it('share one invocation', () => {
      expect(calls.filter((call) => call === 'dynamodb:DeleteItem')).toHaveLength(1);
    });

    it('succeed in their first attempt but for those three', () => {
      expectUntouched([0, 3, 5].flatMap((at) => jobs[at] ?? []));
    });

    it('have the one that throws failed with what it threw, and without a dead letter', () => {
      expect(jobs[1]).toMatchObject({
        status: 'failed',
        attempts: 1,
        error: { code: 'agent_failed', message: 'run itself is broken', attempt: 1 },
      });
      expect(jobs[1]?.deadLettered).toBeUndefined();
    });

    it('have the one that hangs failed at the timeout of its step', () => {
      expect(jobs[2]).toMatchObject({
        status: 'failed',
        attempts: 1,
        deadLettered: true,
        error: { code: 'step_failed', step: 'sleep', cause: { code: 'step_timeout' } },
      });
    });

    it('have a dead letter of the one whose tries are used up', async () => {
      const [, , , , exhausted] = jobs;
      expect(exhausted).toMatchObject({
        status: 'failed',
        attempts: 1,
        deadLettered: true,
        error: { code: 'step_failed', step: 'break', attempt: 1 },
      });

      expect(await deadLetter(exhausted?.jobId ?? '')).toMatchObject({
        code: 'step_failed',
        step: 'break',
        attempt: 1,
        message: exhausted?.error?.message,
        cause: { message: 'cannot be done now' },
      });
    });
  });

  describe.each(DEATHS)('of which one $what every time', ({ how }) => {
    let killer: JobRepresentation;
    let neighbours: JobRepresentation[];

    beforeAll(async () => {
      deaths ??= await startDeaths();
      const ends = await deaths[how];
      if (ends === undefined) throw new Error(`no batch for ${how}`);
      [killer, neighbours] = ends;
    });

    it('succeed but for that one, in their second attempt at the latest', () => {
      for (const neighbour of neighbours) {
        expect(neighbour).toMatchObject({ status: 'succeeded', result: SUM });
        expect(neighbour.attempts).toBeLessThanOrEqual(2);
      }
    });

    it('have that one failed when its attempts are used up, with the step that does it', () => {
      expect(killer).toMatchObject({
        status: 'failed',
        deadLettered: true,
        error: { code: 'attempts_exhausted', step: 'die' },
      });
      expect(killer.error?.message).toMatch(/died 3 times in a row during step "die"/);
    });

    it('have a dead letter of it that says the same', async () => {
      const { agent, error, jobId, finishedAt } = killer;

      expect(await deadLetter(jobId)).toEqual({
        v: 1,
        jobId,
        tenantId: 'acme',
        agent,
        generation: 1,
        ...error,
        failedAt: finishedAt,
      });
    });
  });

  describe('with messages between them that nobody can read', () => {
    const UNREADABLE = ['no hint at all', '{"v":2,"jobId":"of a later version"}'];
    let neighbours: JobRepresentation[];

    beforeAll(async () => {
      const jobIds = await submitTogether([NEIGHBOUR, NEIGHBOUR], async () => {
        for (const body of UNREADABLE) await target.queues.sendToJobsQueue(body);
      });
      neighbours = await finalJobs(jobIds);
    });

    it('succeed in their first attempt', () => {
      expectUntouched(neighbours);
    });

    it.each(UNREADABLE)('leave %s to the redrive policy of the queue', async (body) => {
      expect(await target.queues.deadLetters(body, WITHIN)).toEqual([body]);
    });
  });

  /** A batch for each kind of death, all of them under way at once; answers how the killer and its neighbours end. */
  async function startDeaths(): Promise<NonNullable<typeof deaths>> {
    const ends: NonNullable<typeof deaths> = {};
    for (const { how } of DEATHS) {
      const jobs = [['deadly', { how }] as const, NEIGHBOUR, NEIGHBOUR, NEIGHBOUR];
      const [killerId = '', ...others] = await submitTogether(jobs);
      ends[how] = Promise.all([endOf(killerId), finalJobs(others)]);
      // Looked at by the tests of this death; until then a failure must not count as nobody's.
      ends[how].catch(() => undefined);
    }
    return ends;
  }

  async function startOf(jobId: string): Promise<void> {
    const deadline = Date.now() + 60_000;
    while ((await api.job(jobId)).attempts === 0) {
      if (Date.now() > deadline) throw new Error(`nobody has taken job ${jobId}`);
      await delay(50);
    }
  }

  /** The end of a job that kills its workers. One that loops would keep its core until the timeout of the function. */
  async function endOf(jobId: string): Promise<JobRepresentation> {
    const seen = new Map<string, RunningEnvironment>();
    for (;;) {
      const job = await api.job(jobId);
      const isFinal = FINAL.includes(job.status);
      // The one that ends the job has a dead letter to send.
      if (isFinal) await target.queues.deadLetters(jobId, WITHIN);
      for (const one of await environmentsWith(jobId)) seen.set(one.id, one);
      // Another one is given the job only when the one before has lost it.
      const lost = [...seen.values()].slice(0, isFinal ? undefined : -1);
      for (const one of lost) {
        seen.delete(one.id);
        await target.control.crash(one).catch(() => undefined);
      }
      if (isFinal) return job;
      await delay(200);
    }
  }

  async function environmentsWith(jobId: string): Promise<RunningEnvironment[]> {
    const busy = await target.control.busyEnvironments('worker');
    return busy.filter(({ messages }) => messages.some((body) => body.includes(jobId)));
  }
});
