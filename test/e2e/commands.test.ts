import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { JobRepresentation } from '../../src/protocol/job.ts';
import { ApiClient, jobOf, problemOf } from '../support/api-client.ts';
import { describeLocal, type LocalTarget, startTarget, type Target } from '../support/target.ts';

jest.setTimeout(240_000);

const is = (status: JobRepresentation['status']) => (job: JobRepresentation) =>
  job.status === status;

const isPauseOrResume = (type: string): boolean =>
  type === 'pause.requested' || type === 'job.resumed';

describe('commands', () => {
  let target: Target;
  let api: ApiClient;

  beforeAll(async () => {
    target = await startTarget();
    api = new ApiClient(target);
    await api.run('echo', { value: 'warm' });
  });

  afterAll(async () => {
    await target.stop();
  });

  async function stepsOf(jobId: string): Promise<{ step: string; generation: number }[]> {
    return (await api.trace(jobId)).flatMap((entry) =>
      entry.type === 'step.succeeded' ? [{ step: entry.step, generation: entry.generation }] : [],
    );
  }

  describe('cancel', () => {
    it('aborts a running step long before its end, then tidies up', async () => {
      const jobId = await api.submit('tidy', { ms: 200_000 });
      await api.jobWhen(jobId, is('running'));

      const asked = await api.order(jobId, 'cancel');
      const job = await api.finalJob(jobId);

      expect(asked.cancelRequestedAt).toEqual(expect.any(String));
      expect(job.status).toBe('cancelled');
      const types = (await api.trace(jobId)).map(({ type }) => type);
      expect(types).toContain('cancel.requested');
      expect(types.at(-1)).toBe('job.cancelled');
      const steps = (await stepsOf(jobId)).map(({ step }) => step);
      expect(steps).toHaveLength(1);
      expect(steps[0]).toMatch(/tidy-up$/);
    });

    // Peer fault 9: cancel answered 500.
    it.each([
      { status: 'queued or running', agent: 'tidy', input: { ms: 60_000 }, until: undefined },
      { status: 'running', agent: 'tidy', input: { ms: 60_000 }, until: is('running') },
      { status: 'waiting', agent: 'ask', input: {}, until: is('waiting') },
    ])('of a $status job, three times: it ends cancelled', async ({ agent, input, until }) => {
      const jobId = await api.submit(agent, input);
      if (until !== undefined) await api.jobWhen(jobId, until);

      const answers = await Promise.all([1, 2].map(() => api.command(jobId, 'cancel')));
      const job = await api.finalJob(jobId);
      answers.push(await api.command(jobId, 'cancel'));

      for (const answer of answers) jobOf(answer, 200);
      expect(job.status).toBe('cancelled');
    });

    it.each([
      { status: 'succeeded', agent: 'echo', input: { value: 1 } },
      { status: 'failed', agent: 'failing', input: { terminal: true } },
    ])('of a $status job is a conflict, twice', async ({ status, agent, input }) => {
      const { jobId } = await api.run(agent, input);

      for (let time = 0; time < 2; time++) {
        expect(problemOf(await api.command(jobId, 'cancel'))).toMatchObject({
          status: 409,
          code: 'conflict',
          jobStatus: status,
        });
      }
    });
  });

  describeLocal('cancel beside a crash', 'only here can a test kill a worker', () => {
    it('answers while the worker dies, and the job ends cancelled', async () => {
      const { control } = target as LocalTarget;
      const jobId = await api.submit('tidy', { ms: 60_000 });
      await api.jobWhen(jobId, is('running'));

      const before = await api.command(jobId, 'cancel');
      const [during] = await Promise.all([
        api.command(jobId, 'cancel'),
        control.crashAll('worker'),
      ]);
      const after = await api.command(jobId, 'cancel');

      for (const answer of [before, during, after]) jobOf(answer, 200);
      expect((await api.finalJob(jobId)).status).toBe('cancelled');
    });

    it('of a job that nobody has taken yet ends it at once', async () => {
      const { control } = target as LocalTarget;
      await control.pauseQueues();
      const jobId = await api.submit('tidy', { ms: 60_000 });

      const job = await api.order(jobId, 'cancel');
      await control.resumeQueues();

      expect(job.status).toBe('cancelled');
      expect(await api.order(jobId, 'cancel')).toMatchObject({ status: 'cancelled', attempts: 0 });
    });
  });

  it('pause holds a running job at its next step, resume lets it go on', async () => {
    const jobId = await api.submit('five-steps', { steps: 12, stepMs: 500 });
    await api.jobWhen(jobId, ({ progress }) => (progress?.completed ?? 0) >= 2);

    expect((await api.order(jobId, 'pause')).paused).toBe(true);
    const paused = await api.jobWhen(jobId, ({ waitingFor }) => waitingFor?.reason === 'paused');
    const done = (await stepsOf(jobId)).length;
    // Its other steps would be done by then.
    await api.run('five-steps', { steps: 12, stepMs: 500 });
    expect(await api.order(jobId, 'pause')).toMatchObject({ status: paused.status, paused: true });
    expect(await stepsOf(jobId)).toHaveLength(done);
    expect(done).toBeLessThan(12);

    expect(await api.order(jobId, 'resume')).not.toHaveProperty('paused');
    await api.order(jobId, 'resume');
    const job = await api.finalJob(jobId);
    expect(job).toMatchObject({ status: 'succeeded', result: { sum: 78 } });
    expect(await stepsOf(jobId)).toHaveLength(12);
    const told = (await api.trace(jobId)).map(({ type }) => type).filter(isPauseOrResume);
    expect(told).toEqual(['pause.requested', 'job.resumed']);
  });

  it('pause keeps a sleeping job from waking', async () => {
    const jobId = await api.submit('nap', { ms: 6_000 });
    await api.jobWhen(jobId, is('waiting'));
    await api.order(jobId, 'pause');
    // Sleeps as long, and began later.
    await api.run('nap', { ms: 6_000 });
    expect(await api.job(jobId)).toMatchObject({ paused: true, waitingFor: { reason: 'paused' } });

    await api.order(jobId, 'resume');

    expect((await api.finalJob(jobId)).status).toBe('succeeded');
  });

  it.each(['cancel', 'pause', 'resume', 'retry', 'fork', 'signals/answer'])(
    "%s of another tenant's job answers 404, and 403 to a key that may only read",
    async (command) => {
      const jobId = await api.submit('echo', { value: 1 });
      const body = command === 'fork' ? { fromStep: 'echo' } : {};
      const foreign = { key: target.keys.globex };

      expect(problemOf(await api.command(jobId, command, body, foreign)).status).toBe(404);
      const { readonly: reader } = target.keys;
      if (reader === undefined) return;
      expect(problemOf(await api.command(jobId, command, body, { key: reader })).status).toBe(403);
      expect((await api.finalJob(jobId)).status).toBe('succeeded');
    },
  );

  it('GET on a command answers 405 and says what is allowed', async () => {
    const response = await api.send('/jobs/job_1/cancel');

    expect(problemOf(response).status).toBe(405);
    expect(response.headers.allow).toBe('POST');
  });
});
