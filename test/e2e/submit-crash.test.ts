import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { systemIdSource } from '../../src/adapters/system/id-source.ts';
import { ApiClient, type ApiResponse, jobOf, problemOf } from '../support/api-client.ts';
import { describeLocal, type LocalTarget, startLocalTarget } from '../support/target.ts';

jest.setTimeout(300_000);

/** Powertools' record, a large input, the job, the hint, the record again. */
const CALLS = [
  'dynamodb:PutItem',
  's3:PUT',
  'dynamodb:PutItem',
  'sqs:SendMessage',
  'dynamodb:UpdateItem',
];
const LARGE = { value: 'x'.repeat(10_000) };

// Peer fault 16: the record of a submit that died stayed in progress, and its key was dead for hours.
describeLocal('a submit that dies', 'only here can a test kill it at a given request', () => {
  let target: LocalTarget;
  let api: ApiClient;

  beforeAll(async () => {
    target = await startLocalTarget();
    api = new ApiClient(target);
    await api.run('echo', LARGE);
  });

  afterAll(async () => {
    await target.stop();
  });

  const submit = (key: string, value = LARGE): Promise<ApiResponse> =>
    api.post({ agent: 'echo', input: value }, { headers: { 'idempotency-key': key } });

  it('makes the requests that this suite knows', async () => {
    await target.control.resetCalls('submit');
    await submit(randomUUID());

    const calls = await target.control.calls('submit');
    expect(calls.map((call) => call.split(' ')[0])).toEqual(CALLS);
  });

  const points = CALLS.flatMap((call, index) =>
    (['before', 'after'] as const).map((when) => ({ when, call, number: index + 1 })),
  );

  it.each(points)(
    '$when request $number ($call) leaves its key usable within seconds, and makes one job',
    async ({ when, number }) => {
      const key = randomUUID();
      await target.control.crashAt('submit', number, when);
      const dead = await submit(key);
      expect(dead.status).toBeGreaterThanOrEqual(500);
      expect(problemOf(dead).code).toMatch(/^(unavailable|internal_error)$/);

      const diedAt = Date.now();
      let again = await submit(key);
      while (again.status !== 202) {
        expect(problemOf(again).code).toBe('idempotency_in_progress');
        expect(again.headers['retry-after']).toBe('1');
        await delay(500);
        again = await submit(key);
      }

      expect(Date.now() - diedAt).toBeLessThan(10_000);
      const { jobId } = jobOf(again, 202);
      const third = await submit(key);
      expect(jobOf(third, 202)).toEqual(jobOf(again, 202));
      expect(third.headers['idempotent-replayed']).toBe('true');
      expect((await api.finalJob(jobId)).status).toBe('succeeded');
      const steps = (await api.trace(jobId)).filter(({ type }) => type === 'step.succeeded');
      expect(steps).toHaveLength(1);
      expect(problemOf(await submit(key, { value: 'other' })).code).toBe('idempotency_key_reused');
    },
  );

  it('has its job done by the sweeper when it dies before the hint and nobody asks again', async () => {
    const key = randomUUID();
    await target.control.crashAt('submit', 4, 'before');
    expect((await submit(key)).status).toBeGreaterThanOrEqual(500);

    // The id follows from tenant and key, so that it can be looked at without another submit.
    const jobId = `job_${systemIdSource.deriveId('acme', key)}`;

    expect((await api.job(jobId)).status).toBe('queued');
    expect((await api.finalJob(jobId)).status).toBe('succeeded');
  });
});
