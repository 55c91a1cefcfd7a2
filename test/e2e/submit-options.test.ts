import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { batchAnswerSchema } from '../../src/protocol/batch.ts';
import { ApiClient, jobOf, problemOf } from '../support/api-client.ts';
import { startTarget, type Target } from '../support/target.ts';

jest.setTimeout(180_000);

describe('options of a submit', () => {
  let target: Target;
  let api: ApiClient;

  beforeAll(async () => {
    target = await startTarget();
    api = new ApiClient(target);
  });

  afterAll(async () => {
    await target.stop();
  });

  const wait = (seconds: number, more: Record<string, string> = {}) => ({
    headers: { prefer: `respond-async, wait=${seconds}`, ...more },
  });

  it('gets the result with the answer to its submit, also when it submits again', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const body = { agent: 'echo', input: { value: 'at once' } };

    const first = await api.post(body, wait(20, key));
    const again = await api.post(body, wait(20, key));

    expect(jobOf(first, 200)).toMatchObject({ status: 'succeeded', result: { value: 'at once' } });
    expect(first.headers).toMatchObject({
      location: jobOf(first, 200).links.self,
      'preference-applied': 'respond-async, wait=20',
      vary: 'Prefer',
    });
    expect(jobOf(again, 200)).toEqual(jobOf(first, 200));
    expect(again.headers['idempotent-replayed']).toBe('true');
  });

  it('gets a large result by its address', async () => {
    const job = jobOf(await api.post({ agent: 'grow', input: { bytes: 9_000 } }, wait(20)), 200);

    const result = await fetch(job.resultUrl ?? '');

    expect(result.status).toBe(200);
    expect((await result.text()).length).toBeGreaterThan(9_000);
  });

  it('gets the failure of a job that fails in time', async () => {
    const response = await api.post({ agent: 'failing', input: { terminal: true } }, wait(20));
    expect(jobOf(response, 200)).toMatchObject({ status: 'failed', error: { step: 'break' } });
  });

  it('gets 202 when the job takes longer', async () => {
    const response = await api.post({ agent: 'nap', input: { ms: 3_600_000 } }, wait(1));
    expect(jobOf(response, 202)).toMatchObject({ agent: 'nap' });
    expect(response.headers).toMatchObject({
      'retry-after': '1',
      'preference-applied': 'respond-async, wait=1',
    });
  });

  it('reads a job again when it has changed, and 304 when it has not', async () => {
    const jobId = await api.submit('ask', {});
    const asking = await api.jobWhen(jobId, ({ waitingFor }) => waitingFor?.reason === 'signal');
    const { headers } = await api.send(`/jobs/${jobId}`);
    const known = { 'if-none-match': headers['etag'] ?? '' };

    const unchanged = await api.send(`/jobs/${jobId}`, wait(1, known));
    const held = api.send(`/jobs/${jobId}`, wait(20, known));
    await api.order(jobId, 'signals/answer', { text: 'yes' });

    expect(unchanged).toMatchObject({ status: 304, text: '' });
    expect(unchanged.headers).toMatchObject({
      etag: headers['etag'],
      'preference-applied': 'wait=1',
    });
    const changed = jobOf(await held, 200);
    expect(changed.updatedAt).not.toBe(asking.updatedAt);
    let last = changed;
    while (last.status !== 'succeeded') {
      last = jobOf(await api.send(`/jobs/${jobId}`, wait(20)), 200);
    }
    expect(last.status).toBe('succeeded');
  });

  it('starts a job after its delay and not before, from the queue', async () => {
    const job = jobOf(await api.post({ agent: 'echo', input: { value: 1 }, delay: '3s' }), 202);
    expect(job).toMatchObject({ status: 'waiting', waitingFor: { reason: 'start' } });

    const { startedAt = '', startAt = '', status } = await api.finalJob(job.jobId);

    expect(status).toBe('succeeded');
    expect(startAt).toBe(job.startAt);
    expect(Date.parse(startedAt)).toBeGreaterThanOrEqual(Date.parse(startAt));
  });

  it('shows, signals, pauses, resumes and cancels a job before its start', async () => {
    const startAt = new Date(Date.now() + 3_600_000).toISOString();
    const tags = [`later-${randomUUID()}`];
    const { jobId } = jobOf(await api.post({ agent: 'ask', input: {}, startAt, tags }), 202);

    expect(await api.order(jobId, 'signals/answer', { text: 'early' })).toMatchObject({
      status: 'waiting',
      waitingFor: { reason: 'start', until: startAt },
    });
    expect(await api.order(jobId, 'pause')).toMatchObject({ waitingFor: { reason: 'paused' } });
    expect(await api.order(jobId, 'resume')).toMatchObject({ waitingFor: { reason: 'start' } });
    expect(await api.list(`tag=${tags[0] ?? ''}&status=waiting`)).toMatchObject([
      { jobId, startAt },
    ]);
    expect(await api.order(jobId, 'cancel')).toMatchObject({ status: 'cancelled', attempts: 0 });
    const types = (await api.trace(jobId)).map(({ type }) => type);
    expect(types[0]).toBe('job.submitted');
    expect(types.at(-1)).toBe('job.cancelled');
  });

  it('ends a job at its own limit', async () => {
    const body = { agent: 'five-steps', input: { steps: 5, stepMs: 1 }, limits: { maxSteps: 2 } };
    const { jobId } = jobOf(await api.post(body), 202);
    expect(await api.finalJob(jobId)).toMatchObject({
      status: 'failed',
      limits: { maxSteps: 2 },
      error: { code: 'steps_exceeded' },
    });
    const wide = await api.post({ ...body, limits: { maxDuration: '400d' } });
    expect(problemOf(wide)).toMatchObject({
      status: 422,
      code: 'invalid_limits',
      errors: [{ pointer: '/limits/maxDuration' }],
    });
  });

  it('accepts what can be accepted of a batch, and makes no second job of it', async () => {
    const key = randomUUID();
    const jobs = [
      { agent: 'echo', input: { value: 1 }, idempotencyKey: `${key}-1` },
      { agent: 'nobody', input: {} },
      { agent: 'echo', input: { value: 2 } },
      { agent: 'echo', input: { value: 1 }, idempotencyKey: `${key}-1` },
    ];
    const send = async () => {
      const { status, text } = await api.send('/jobs/batch', { method: 'POST', body: { jobs } });
      expect(status).toBe(200);
      return batchAnswerSchema.strict().parse(JSON.parse(text)).outcomes;
    };

    const outcomes = await send();
    const again = await send();

    expect(outcomes).toMatchObject([
      { status: 202 },
      { status: 422, problem: { code: 'unknown_agent', errors: [{ pointer: '/jobs/1/agent' }] } },
      { status: 202 },
      { status: 202, replayed: true },
    ]);
    const ids = outcomes.flatMap((outcome) => ('job' in outcome ? [outcome.job.jobId] : []));
    expect(ids[2]).toBe(ids[0]);
    expect(again[0]).toMatchObject({ status: 202, replayed: true, job: { jobId: ids[0] } });
    const results = await Promise.all(ids.map((jobId) => api.finalJob(jobId)));
    expect(results.map(({ result }) => result)).toEqual([{ value: 1 }, { value: 2 }, { value: 1 }]);
  });

  it('carries a batch of a hundred', async () => {
    const jobs = Array.from({ length: 100 }, (_, value) => ({ agent: 'echo', input: { value } }));
    const response = await api.send('/jobs/batch', { method: 'POST', body: { jobs } });
    const { outcomes } = batchAnswerSchema.strict().parse(JSON.parse(response.text));
    const ids = outcomes.flatMap((outcome) => ('job' in outcome ? [outcome.job.jobId] : []));
    expect(new Set(ids).size).toBe(100);
    // One after the other: a hundred readers at once are more than the emulator answers.
    const results: unknown[] = [];
    for (const jobId of ids) results.push((await api.finalJob(jobId)).result);
    expect(results).toEqual(jobs.map(({ input }) => input));
  });
});
