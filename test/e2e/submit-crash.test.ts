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
interface CrashPoint {
  readonly number: number;
  readonly call: string;
  readonly when: 'before' | 'after';
  readonly key: string;
  died: { readonly response: ApiResponse; readonly at: number };
}

const POINTS = CALLS.flatMap((call, index) => [
  crashPoint(index + 1, call, 'before'),
  crashPoint(index + 1, call, 'after'),
]);
const unasked = crashPoint(4, 'sqs:SendMessage', 'before');

const LARGE = { value: 'x'.repeat(10_000) };

// Peer fault 16: the record of a submit that died stayed in progress, and its key was dead for hours.
describeLocal('a submit that dies', 'only here can a test kill it at a given request', () => {
  let target: LocalTarget;
  let api: ApiClient;

  beforeAll(async () => {
    target = await startLocalTarget();
    api = new ApiClient(target);
    await api.run('echo', LARGE);
    // All die first, so that the locks of their keys run out together.
    for (const point of [...POINTS, unasked]) {
      await target.control.crashAt('submit', point.number, point.when);
      point.died = { response: await submit(point.key), at: Date.now() };
    }
    expect((await api.job(`job_${systemIdSource.deriveId('acme', unasked.key)}`)).status).toBe(
      'queued',
    );
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

  it.each(POINTS)(
    '$when request $number ($call) leaves its key usable within seconds, and makes one job',
    async ({ key, died }) => {
      expect(died.response.status).toBeGreaterThanOrEqual(500);
      expect(problemOf(died.response).code).toMatch(/^(unavailable|internal_error)$/);

      let again = await submit(key);
      while (again.status !== 202) {
        expect(problemOf(again).code).toBe('idempotency_in_progress');
        expect(again.headers['retry-after']).toBe('1');
        expect(Date.now() - died.at).toBeLessThan(30_000);
        await delay(500);
        again = await submit(key);
      }

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
    expect(unasked.died.response.status).toBeGreaterThanOrEqual(500);
    // The id follows from tenant and key, so that it can be looked at without another submit.
    const jobId = `job_${systemIdSource.deriveId('acme', unasked.key)}`;

    expect((await api.finalJob(jobId)).status).toBe('succeeded');
  });
});

function crashPoint(number: number, call: string, when: 'before' | 'after'): CrashPoint {
  const response = { status: 0, headers: {}, text: '' };
  return { number, call, when, key: randomUUID(), died: { response, at: 0 } };
}
