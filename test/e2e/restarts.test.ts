import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ApiClient, jobOf, problemOf } from '../support/api-client.ts';
import { startTarget, type Target } from '../support/target.ts';

jest.setTimeout(240_000);

describe('starting over', () => {
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

  describe('retry', () => {
    interface Result {
      readonly plannedAt: number;
      readonly draftedAt: number;
    }

    it('goes on from where the job stopped, with a hint', async () => {
      const failed = await api.run('stubborn', {});
      expect(failed).toMatchObject({ status: 'failed', generation: 1 });
      const { jobId } = failed;

      const retried = await api.order(jobId, 'retry', { hint: 'please' });
      const job = await api.finalJob(jobId);

      expect(retried).toMatchObject({ generation: 2, hintCount: 1 });
      expect(retried.error).toBeUndefined();
      expect(job).toMatchObject({ status: 'succeeded', result: { hints: ['please'] } });
      expect(await stepsOf(jobId)).toEqual([
        { step: 'plan', generation: 1 },
        { step: 'draft', generation: 1 },
        { step: 'deliver', generation: 2 },
      ]);
      expect(await api.trace(jobId)).toContainEqual(
        expect.objectContaining({ type: 'job.restarted', hint: 'please' }),
      );
      expect(await api.order(jobId, 'retry', { hint: 'please' })).toEqual(job);
      const other = await api.command(jobId, 'retry', { hint: 'thanks' });
      expect(problemOf(other)).toMatchObject({ code: 'conflict', jobStatus: 'succeeded' });
    });

    it('runs a step again and what was recorded after it, and keeps what was before', async () => {
      const { jobId } = await api.run('stubborn', {});

      await api.order(jobId, 'retry', { hint: 'please', fromStep: 'draft' });

      expect((await api.finalJob(jobId)).status).toBe('succeeded');
      expect(await stepsOf(jobId)).toEqual([
        { step: 'plan', generation: 1 },
        { step: 'draft', generation: 1 },
        { step: 'draft', generation: 2 },
        { step: 'deliver', generation: 2 },
      ]);
    });

    it('names the steps there are when it knows none of that name', async () => {
      const { jobId } = await api.run('stubborn', {});

      expect(problemOf(await api.command(jobId, 'retry', { fromStep: 'drfat' }))).toMatchObject({
        status: 422,
        code: 'unknown_step',
        knownSteps: ['plan', 'draft', 'deliver'],
      });
    });

    it('brings back a cancelled job', async () => {
      const jobId = await api.submit('nap', { ms: 6_000 });
      await api.jobWhen(jobId, ({ status }) => status === 'waiting');
      await api.order(jobId, 'cancel');
      await api.finalJob(jobId);

      await api.order(jobId, 'retry');

      expect((await api.finalJob(jobId)).status).toBe('succeeded');
    });

    it('of a job under way is a conflict', async () => {
      const jobId = await api.submit('ask', {});

      expect(problemOf(await api.command(jobId, 'retry'))).toMatchObject({ code: 'conflict' });
      await api.order(jobId, 'cancel');
    });

    it('keeps times of what it kept', async () => {
      const { jobId } = await api.run('stubborn', {});
      const [, first] = await Promise.all([delay(50), planOf(jobId)]);
      await api.order(jobId, 'retry', { hint: 'please', fromStep: 'draft' });

      const { plannedAt, draftedAt } = (await api.finalJob(jobId)).result as Result;

      expect(plannedAt).toBe(first);
      expect(draftedAt - plannedAt).toBeGreaterThanOrEqual(50);
    });

    async function planOf(jobId: string): Promise<unknown> {
      const plan = (await api.trace(jobId)).find(
        (entry) => entry.type === 'step.succeeded' && entry.step === 'plan',
      );
      return plan?.type === 'step.succeeded' ? plan.outcome : undefined;
    }
  });

  describe('fork', () => {
    it('makes a job that goes on from a step, and leaves the first as it was', async () => {
      const first = await api.run('five-steps', { steps: 4 });
      const key = { headers: { 'idempotency-key': first.jobId } };
      const send = () => api.command(first.jobId, 'fork', { fromStep: 'step-3' }, key);

      const response = await send();
      const fork = jobOf(response, 202);
      const again = await send();

      expect(response.headers.location).toBe(fork.links.self);
      expect(fork).toMatchObject({ forkOf: first.jobId, links: { forkOf: first.links.self } });
      expect(jobOf(again, 202)).toEqual(fork);
      expect(again.headers['idempotent-replayed']).toBe('true');
      expect(await api.finalJob(fork.jobId)).toMatchObject({ result: { sum: 10 } });
      const attempts = (await api.trace(fork.jobId)).flatMap((entry) =>
        entry.type === 'step.succeeded' ? [`${entry.step} in attempt ${entry.attempt}`] : [],
      );
      expect(attempts).toHaveLength(4);
      expect(await api.job(first.jobId)).toEqual(first);
      const other = await api.command(first.jobId, 'fork', { fromStep: 'step-2' }, key);
      expect(problemOf(other)).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    });

    it('of a job that has not succeeded is a conflict', async () => {
      const { jobId } = await api.run('stubborn', {});

      expect(problemOf(await api.command(jobId, 'fork', { fromStep: 'plan' }))).toMatchObject({
        code: 'conflict',
        jobStatus: 'failed',
      });
    });
  });
});
