import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { JobRepresentation } from '../../src/protocol/job.ts';
import { ApiClient, jobOf, problemOf } from '../support/api-client.ts';
import { startTarget, type Target } from '../support/target.ts';

jest.setTimeout(240_000);

const isWaiting = (job: JobRepresentation) => job.status === 'waiting';

describe('waiting', () => {
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

  const signal = (jobId: string, body: unknown, key?: string) =>
    api.command(jobId, 'signals/answer', JSON.stringify(body), {
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    });

  const typesOf = async (jobId: string) => (await api.trace(jobId)).map(({ type }) => type);

  describe('for a signal', () => {
    it('shows what the job waits for, and the signal wakes it', async () => {
      const jobId = await api.submit('ask', {});
      const waiting = await api.jobWhen(jobId, isWaiting);
      expect(waiting.waitingFor?.reason).toBe('signal');
      expect(Date.parse(waiting.waitingFor?.until ?? '') - Date.now()).toBeGreaterThan(3_000_000);

      jobOf(await signal(jobId, { text: 'yes' }), 202);
      const job = await api.finalJob(jobId);

      expect(job).toMatchObject({ status: 'succeeded', result: { answers: ['yes'] } });
      expect(await typesOf(jobId)).toEqual(
        expect.arrayContaining(['wait.started', 'signal.received']),
      );
    });

    // Peer fault 3: what was signalled before the wait was recorded got lost.
    it('counts one that comes before the wait, and one that comes while the step before it runs', async () => {
      const early = await api.submit('ask', { announceMs: 1_000 });
      jobOf(await signal(early, { text: 'early' }), 202);
      const during = await api.submit('ask', { announceMs: 3_000 });
      await api.jobWhen(during, ({ status }) => status === 'running');
      jobOf(await signal(during, { text: 'during' }), 202);

      expect((await api.finalJob(early)).result).toEqual({ answers: ['early'] });
      expect((await api.finalJob(during)).result).toEqual({ answers: ['during'] });
    });

    it('takes one sent twice once, and two with keys of their own as two', async () => {
      const jobId = await api.submit('ask', { again: true });
      await api.jobWhen(jobId, isWaiting);
      for (let time = 0; time < 2; time++) jobOf(await signal(jobId, { text: 'same' }, 'a'), 202);
      const again = await api.jobWhen(
        jobId,
        (job) => isWaiting(job) && job.attempts > 1 && job.waitingFor?.reason === 'signal',
      );
      expect(again.result).toBeUndefined();
      expect(problemOf(await signal(jobId, { text: 'other' }, 'a'))).toMatchObject({ status: 422 });
      jobOf(await signal(jobId, { text: 'same' }, 'b'), 202);

      expect((await api.finalJob(jobId)).result).toEqual({ answers: ['same', 'same'] });
    });

    it('puts one aside that does not fit, and waits on', async () => {
      const jobId = await api.submit('ask', {});
      await api.jobWhen(jobId, isWaiting);
      jobOf(await signal(jobId, { txet: 'typo' }), 202);
      await api.jobWhen(jobId, (job) => isWaiting(job) && job.attempts > 1);
      expect(await typesOf(jobId)).toContain('signal.rejected');

      jobOf(await signal(jobId, { text: 'right' }), 202);

      expect((await api.finalJob(jobId)).result).toEqual({ answers: ['right'] });
    });

    it('carries a body of 200 KB', async () => {
      const text = 'ü'.repeat(100_000);
      const jobId = await api.submit('ask', {});
      jobOf(await signal(jobId, { text }), 202);

      const job = await api.finalJob(jobId);

      expect(job.status).toBe('succeeded');
      expect(await (await fetch(job.resultUrl ?? '')).json()).toEqual({ answers: [text] });
    });

    it('ends by its timeout when none comes', async () => {
      const job = await api.run('ask', { timeoutMs: 500 });

      expect(job).toMatchObject({ status: 'failed', error: { cause: { code: 'signal_timeout' } } });
      expect(await typesOf(job.jobId)).toContain('wait.timed_out');
      expect(problemOf(await signal(job.jobId, { text: 'late' }))).toMatchObject({
        status: 409,
        jobStatus: 'failed',
      });
    });
  });

  it('a sleep holds no worker and does not end before its time', async () => {
    const jobId = await api.submit('nap', { ms: 7_000 });
    expect((await api.jobWhen(jobId, isWaiting)).waitingFor?.reason).toBe('sleep');

    const job = await api.finalJob(jobId);

    const { before, after } = job.result as { before: number; after: number };
    expect(after - before).toBeGreaterThanOrEqual(7_000);
    expect(job.attempts).toBe(2);
  });

  describe('for sub-jobs', () => {
    it.each([
      { count: 50, attempts: 12 },
      { count: 500, attempts: 60 },
    ])(
      'gives the results of $count in order, and wakes rarely for them',
      async ({ count, attempts }) => {
        const inputs = Array.from({ length: count }, (_, value) => ({ value }));

        const jobId = await api.submit('family', { agent: 'echo', inputs });
        const job = await api.finalJob(jobId, { withinMs: 200_000 });

        expect(job.error).toBeUndefined();
        expect(job.result).toEqual({ results: inputs });
        expect(job.attempts).toBeLessThan(attempts);
        const spawned = (await api.trace(job.jobId)).flatMap((entry) =>
          entry.type === 'child.spawned' ? [entry.childId] : [],
        );
        expect(new Set(spawned).size).toBe(count);
        const child = await api.job(spawned[0] ?? '');
        const { links } = await api.job(job.jobId);
        expect(child).toMatchObject({ parentId: job.jobId, links: { parent: links.self } });
      },
    );

    it('fails with the first that fails, or collects what became of each', async () => {
      const inputs = [{ terminal: true }];
      const failed = await api.run('family', { agent: 'failing', inputs });
      const collected = await api.run('family', { agent: 'failing', inputs, collect: true });

      expect(failed).toMatchObject({
        status: 'failed',
        error: { cause: { code: 'child_failed' } },
      });
      expect(collected.result).toMatchObject({ results: [{ status: 'failed' }] });
    });

    it('that still wait end with a parent that is cancelled', async () => {
      const inputs = Array.from({ length: 3 }, () => ({ ms: 3_600_000 }));
      const jobId = await api.submit('family', { agent: 'nap', inputs });
      await api.jobWhen(jobId, (job) => job.waitingFor?.reason === 'children');
      const children = (await api.trace(jobId)).flatMap((entry) =>
        entry.type === 'child.spawned' ? [entry.childId] : [],
      );
      expect(children).toHaveLength(3);

      await api.order(jobId, 'cancel');

      expect((await api.finalJob(jobId)).status).toBe('cancelled');
      for (const child of children) expect((await api.finalJob(child)).status).toBe('cancelled');
    });
  });
});
