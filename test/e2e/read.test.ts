import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import committed from '../../src/protocol/openapi.json' with { type: 'json' };
import { jobListSchema } from '../../src/protocol/job-list.ts';
import { ApiClient, jobOf, problemOf } from '../support/api-client.ts';
import { startTarget, type Target } from '../support/target.ts';

jest.setTimeout(180_000);

describe('reading', () => {
  let target: Target;
  let api: ApiClient;

  beforeAll(async () => {
    target = await startTarget();
    api = new ApiClient(target);
  });

  afterAll(async () => {
    await target.stop();
  });

  it('shows status and progress of a job while it runs, and when to ask again', async () => {
    const jobId = await api.submit('five-steps', { steps: 10, stepMs: 300 });
    const seen = new Set<string>();
    let completed = 0;
    for (let status = ''; status !== 'succeeded';) {
      const response = await api.send(`/jobs/${jobId}`);
      const job = jobOf(response, 200);
      seen.add(job.status);
      status = job.status;
      if (job.progress !== undefined) {
        expect(job.progress.total).toBe(10);
        expect(job.progress.completed).toBeGreaterThanOrEqual(completed);
        completed = job.progress.completed ?? 0;
      }
      expect(response.headers['retry-after']).toBe(status === 'succeeded' ? undefined : '1');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }

    expect(seen).toContain('running');
    const job = await api.job(jobId);
    expect(job).toMatchObject({
      status: 'succeeded',
      progress: { completed: 10, total: 10, message: 'step 10 of 10' },
      result: { sum: 55 },
      attempts: 1,
    });
    const instants = [job.createdAt, job.startedAt, job.finishedAt].map((at) =>
      Date.parse(at ?? ''),
    );
    expect(instants).toEqual([...instants].sort((a, b) => a - b));
    expect(job).not.toHaveProperty('waitingFor');
  });

  it('shows what a sleeping job waits for and until when', async () => {
    const jobId = await api.submit('nap', { ms: 3_600_000 });

    const job = await api.jobWhen(jobId, ({ status }) => status === 'waiting');

    expect(job.waitingFor?.reason).toBe('sleep');
    const untilMs = Date.parse(job.waitingFor?.until ?? '') - Date.now();
    expect(untilMs).toBeGreaterThan(3_000_000);
    expect(untilMs).toBeLessThan(3_700_000);
  });

  it('shows the error of a failed job, down to the one underneath', async () => {
    const job = await api.run('failing', { terminal: true });

    expect(job).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('cannot be done'), step: 'break', attempt: 1 },
    });
    expect(job.error?.code).toEqual(expect.any(String));
    expect(JSON.stringify(job.error)).toContain('downstream said 503');
    expect(job).not.toHaveProperty('result');
    expect(JSON.stringify(job)).not.toContain('stack');
  });

  it('tells by its trace what happened in a job, in order', async () => {
    const { jobId } = await api.run('flaky', { failures: 2 });

    const trace = await api.trace(jobId);

    expect(trace[0]?.type).toBe('job.submitted');
    expect(trace.at(-1)?.type).toBe('job.succeeded');
    const steps = trace.flatMap((entry) =>
      entry.type === 'step.failed' || entry.type === 'step.succeeded'
        ? [{ type: entry.type, step: entry.step, try: entry.try, attempt: entry.attempt }]
        : [],
    );
    expect(steps).toEqual([
      { type: 'step.failed', step: 'try', try: 1, attempt: 1 },
      { type: 'step.failed', step: 'try', try: 2, attempt: 1 },
      { type: 'step.succeeded', step: 'try', try: 3, attempt: 1 },
    ]);
    const instants = trace.map(({ at }) => Date.parse(at));
    expect(instants).toEqual([...instants].sort((a, b) => a - b));
  });

  it('shows small outcomes in the trace and the size of every one', async () => {
    const { jobId } = await api.run('fan-out', { items: 3, bytes: 20 });

    const steps = (await api.trace(jobId)).filter((entry) => entry.type === 'step.succeeded');

    expect(steps.map(({ step }) => step).sort()).toEqual([
      'item[0]/make',
      'item[1]/make',
      'item[2]/make',
    ]);
    steps.forEach((step) => {
      expect(step).toMatchObject({ size: 22, outcome: expect.stringMatching(/^[012]{20}$/) });
    });
  });

  it('gives a long trace in parts, each entry once', async () => {
    const { jobId } = await api.run('fan-out', { items: 400, concurrency: 50, bytes: 6_000 });

    const first = JSON.parse((await api.send(`/jobs/${jobId}/trace`)).text) as { next?: string };
    const steps = (await api.trace(jobId)).flatMap((entry) =>
      entry.type === 'step.succeeded' ? [entry.step] : [],
    );

    expect(first.next).toEqual(expect.any(String));
    expect(new Set(steps).size).toBe(400);
    expect(steps).toHaveLength(400);
  });

  it('answers 400 to a cursor that it did not give out', async () => {
    const jobId = await api.submit('echo', { value: 1 });

    expect(problemOf(await api.send(`/jobs/${jobId}/trace?cursor=nonsense`))).toMatchObject({
      status: 400,
      code: 'invalid_request',
    });
  });

  it('lists the newest jobs first, page by page, and by what they are', async () => {
    const tag = `list-${randomUUID()}`;
    const submit = (agent: string, input: unknown) => api.post({ agent, input, tags: [tag, 'x'] });
    const jobIds: string[] = [];
    for (const value of [1, 2, 3, 4, 5]) {
      jobIds.unshift(jobOf(await submit('echo', { value }), 202).jobId);
    }
    const failed = jobOf(await submit('failing', { terminal: true }), 202).jobId;
    await Promise.all([failed, ...jobIds].map((jobId) => api.finalJob(jobId)));

    expect((await api.list(`tag=${tag}&limit=100`)).map(({ jobId }) => jobId)).toEqual([
      failed,
      ...jobIds,
    ]);
    const inParts = await api.list(`tag=${tag}&limit=2&status=succeeded`);
    expect(inParts.map(({ jobId }) => jobId)).toEqual(jobIds);
    expect(inParts[0]).toMatchObject({ agent: 'echo', tags: [tag, 'x'], attempts: 1 });
    expect(inParts[0]).not.toHaveProperty('result');
    const [row] = await api.list(`agent=failing&tag=${tag}`);
    expect(row).toMatchObject({ jobId: failed, status: 'failed', error: { step: 'break' } });
    const third = inParts[2]?.createdAt ?? '';
    expect(await api.list(`tag=${tag}&createdAfter=${third}`)).toHaveLength(3);
    expect(await api.list(`tag=${tag}&createdBefore=${third}`)).toHaveLength(2);
  });

  it('lists to each tenant its own jobs, and takes no cursor of another list', async () => {
    const jobId = await api.submit('echo', { value: 'private' });
    await api.submit('echo', { value: 'private' });
    const first = await api.send('/jobs?limit=1');
    const { next = '' } = jobListSchema.strict().parse(JSON.parse(first.text));

    const foreign = await api.send('/jobs?limit=100', { key: target.keys.globex });

    expect(foreign.text).not.toContain(jobId);
    expect((await api.send(`/jobs?cursor=${next}`)).status).toBe(200);
    for (const response of [
      await api.send(`/jobs?cursor=${next}`, { key: target.keys.globex }),
      await api.send(`/jobs?cursor=${next}&status=failed`),
      await api.send(`/jobs?cursor=${next.slice(0, -1)}`),
    ]) {
      expect(problemOf(response)).toMatchObject({ status: 400, code: 'invalid_cursor' });
    }
  });

  it("answers 404 to another tenant's job, as to one that never was", async () => {
    const jobId = await api.submit('echo', { value: 'private' });
    const never = `job_${'0'.repeat(26)}`;
    const asGlobex = { key: target.keys.globex };

    for (const path of [`/jobs/${jobId}`, `/jobs/${jobId}/trace`]) {
      const foreign = problemOf(await api.send(path, asGlobex));
      const absent = problemOf(await api.send(path.replace(jobId, never), asGlobex));
      expect(foreign).toMatchObject({ status: 404, code: 'not_found' });
      expect({ ...foreign, requestId: '', detail: foreign.detail.replace(jobId, never) }).toEqual({
        ...absent,
        requestId: '',
      });
    }
  });

  it('reads with a key that may only read', async () => {
    const { readonly: reader } = target.keys;
    if (reader === undefined) return;
    const jobId = await api.submit('echo', { value: 1 });

    expect((await api.job(jobId, { key: reader })).jobId).toBe(jobId);
  });

  it('says to anybody that it is there', async () => {
    const response = await api.send('/healthz', { key: null });

    expect(response).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  });

  it('gives anybody the OpenAPI document of this address, and 304 to whoever has it', async () => {
    const response = await api.send('/openapi.json', { key: null });
    const { paths, servers } = JSON.parse(response.text) as Pick<
      typeof committed,
      'paths' | 'servers'
    >;

    expect(response.status).toBe(200);
    expect(paths).toEqual(committed.paths);
    expect(new URL(servers[0]?.url ?? '', target.apiUrl).href).toBe(target.apiUrl);
    const { etag = '' } = response.headers;
    const again = await api.send('/openapi.json', { headers: { 'if-none-match': etag } });
    expect(again).toMatchObject({ status: 304, text: '' });
  });
});
