import type { APIGatewayProxyResult } from 'aws-lambda';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { httpHandler, type HttpHandler } from '../../../lambdas/http/http-handler.ts';
import { jobRoute } from '../../../lambdas/http/job-route.ts';
import { preferencesOf } from '../../../lambdas/http/preferences.ts';
import { memoryJobStore } from '../../../src/adapters/memory/job-store.ts';
import { memoryPayloadStore } from '../../../src/adapters/memory/payload-store.ts';
import type { JobUpdate } from '../../../src/core/job/item-update.ts';
import type { Job } from '../../../src/core/job/job.ts';
import type { JobStore } from '../../../src/core/ports/job-store.ts';
import { aJob, aPage, NOON } from '../../support/builders.ts';
import { anEvent, bodyOf, recordingTelemetry } from '../../support/http.ts';
import { submitWorld } from '../../support/submit-world.ts';
import { memoryRunOnce } from '../../support/command-world.ts';
import { turns, VirtualClock } from '../../support/virtual-clock.ts';

const JOB_ID = `job_${'0'.repeat(26)}`;
const ALWAYS: JobUpdate['condition'] = { all: [] };
const SUCCEED: JobUpdate = {
  condition: ALWAYS,
  set: {
    status: 'succeeded',
    epoch: 1,
    result: { kind: 'inline', json: '{"value":1}' },
    totals: { progressReports: 0, stepsSucceeded: 1, stepsFailed: 0 },
  },
};

describe.each([
  { prefer: ['wait=7'], expected: { respondAsync: false, wait: 7 } },
  { prefer: ['respond-async, wait=10'], expected: { respondAsync: true, wait: 10 } },
  { prefer: ['respond-async', 'wait=10'], expected: { respondAsync: true, wait: 10 } },
  { prefer: ['Respond-Async,WAIT="5"'], expected: { respondAsync: true, wait: 5 } },
  { prefer: ['wait = 5; x=y, wait=9'], expected: { respondAsync: false, wait: 5 } },
  { prefer: ['wait=600'], expected: { respondAsync: false, wait: 20 } },
  { prefer: ['wait=0'], expected: { respondAsync: false, wait: 0 } },
  { prefer: ['wait=-1'], expected: { respondAsync: false } },
  { prefer: ['wait=1.5'], expected: { respondAsync: false } },
  { prefer: ['wait'], expected: { respondAsync: false } },
  { prefer: ['handling=strict, return=minimal'], expected: { respondAsync: false } },
  { prefer: ['respond-async=no'], expected: { respondAsync: false } },
  { prefer: ['=, ;;, "'], expected: { respondAsync: false } },
  { prefer: [], expected: { respondAsync: false } },
])('Prefer: $prefer', ({ prefer, expected }) => {
  it(`is ${JSON.stringify(expected)}`, () => {
    expect(preferencesOf(anEvent({ headers: { Prefer: prefer } }))).toEqual(expected);
  });
});

/** An answer that may be held back, and the clock it waits by. */
class Held {
  result: APIGatewayProxyResult | undefined;
  readonly #clock: VirtualClock;

  constructor(clock: VirtualClock, answer: Promise<APIGatewayProxyResult>) {
    this.#clock = clock;
    void answer.then((result) => {
      this.result = result;
    });
  }

  /** Lets time pass up to an instant of the test, and says whether the answer is there. */
  async at(ms: number): Promise<boolean> {
    await turns();
    while (this.#clock.fireNext(NOON + ms)) await turns();
    if (this.#clock.now() < NOON + ms) this.#clock.jump(NOON + ms - this.#clock.now());
    return this.result !== undefined;
  }
}

describe('GET of a job', () => {
  let clock: VirtualClock;
  let jobs: JobStore;
  let looks: number;
  let reads: number;
  let handler: HttpHandler;

  beforeEach(async () => {
    clock = new VirtualClock(NOON);
    jobs = memoryJobStore(clock);
    looks = 0;
    reads = 0;
    const watched: JobStore = {
      ...jobs,
      getJob: (jobId) => {
        reads++;
        return jobs.getJob(jobId);
      },
      lookAt: (...args) => {
        looks++;
        return jobs.lookAt(...args);
      },
    };
    const deps = { jobs: watched, payloads: memoryPayloadStore(), clock };
    handler = httpHandler(recordingTelemetry(), jobRoute(deps));
    await jobs.createJob(aJob({ jobId: JOB_ID }));
  });

  const get = (headers: Record<string, string> = {}, remainingMs = 29_000) =>
    handler(
      anEvent({
        method: 'GET',
        resource: '/jobs/{jobId}',
        pathParameters: { jobId: JOB_ID },
        headers,
      }),
      { getRemainingTimeInMillis: () => remainingMs },
    );
  const held = (headers: Record<string, string>, remainingMs?: number) =>
    new Held(clock, get(headers, remainingMs));
  const update = (set: Partial<Job>) => jobs.updateJob(JOB_ID, { condition: ALWAYS, set });

  it('has a tag that stays while the job does, and is 304 for who has it', async () => {
    const first = await get();
    const etag = String(first.headers?.['etag']);
    expect(first).toMatchObject({ statusCode: 200, headers: { vary: 'Prefer' } });
    expect(first.headers).not.toHaveProperty('preference-applied');

    for (const known of [etag, etag.replace('W/', ''), `"x", ${etag}`, '*']) {
      const again = await get({ 'if-none-match': known });
      expect(again).toMatchObject({
        statusCode: 304,
        body: '',
        headers: { etag, 'retry-after': '1', 'x-request-id': 'request-1' },
      });
      expect(again.headers).not.toHaveProperty('content-type');
    }
    await update({ status: 'running' });
    const changed = await get({ 'if-none-match': etag });
    expect(changed.statusCode).toBe(200);
    expect(changed.headers?.['etag']).not.toBe(etag);
  });

  it('has another tag when the progress is another', async () => {
    await update({ status: 'running', epoch: 1 });
    const { headers } = await get();
    await jobs.appendPage(
      aPage({
        jobId: JOB_ID,
        totals: {
          progress: { completed: 1 },
          progressReports: 1,
          stepsSucceeded: 1,
          stepsFailed: 0,
        },
      }),
    );
    expect((await get({ 'if-none-match': String(headers?.['etag']) })).statusCode).toBe(200);
  });

  it('keeps its tag while a resultUrl is good, and lets it go long before that ends', async () => {
    const result = { kind: 's3', key: 'k', sizeBytes: 9_000, sha256: 'ab'.repeat(32) } as const;
    await jobs.updateJob(JOB_ID, { ...SUCCEED, set: { ...SUCCEED.set, result } });
    const etag = String((await get()).headers?.['etag']);
    const statuses: number[] = [];
    for (let minute = 1; minute <= 10; minute++) {
      clock.jump(60_000);
      statuses.push((await get({ 'if-none-match': etag })).statusCode);
    }
    expect(statuses[0]).toBe(304);
    expect(statuses.slice(5)).toEqual([200, 200, 200, 200, 200]);
  });

  it('is held until the job changes', async () => {
    const answer = held({ prefer: 'wait=20' });
    expect(await answer.at(3_000)).toBe(false);
    await update({ status: 'running', epoch: 1 });
    expect(await answer.at(5_500)).toBe(true);
    expect(answer.result?.headers).toMatchObject({ 'preference-applied': 'wait=20' });
    expect(bodyOf(answer.result ?? fail())).toMatchObject({ status: 'running' });
  });

  it('is held until there is progress', async () => {
    await update({ status: 'running', epoch: 1 });
    const answer = held({ prefer: 'wait=20' });
    expect(await answer.at(1_000)).toBe(false);
    const progress = { completed: 1, total: 2 };
    const totals = { progress, progressReports: 1, stepsSucceeded: 1, stepsFailed: 0 };
    await jobs.appendPage(aPage({ jobId: JOB_ID, totals }));
    expect(await answer.at(3_100)).toBe(true);
    expect(bodyOf(answer.result ?? fail())).toMatchObject({ progress });
  });

  it('is not ended by what its readers cannot see', async () => {
    const answer = held({ prefer: 'wait=5' });
    await answer.at(1_000);
    await update({ wakeups: 7 });
    expect(await answer.at(4_900)).toBe(false);
    expect(await answer.at(5_000)).toBe(true);
    expect(answer.result?.statusCode).toBe(200);
  });

  it('is held no longer than asked, then the job as it is, or 304 for who knows it', async () => {
    const etag = String((await get()).headers?.['etag']);
    const [plain, known] = [
      held({ prefer: 'wait=5' }),
      held({ prefer: 'wait=5', 'if-none-match': etag }),
    ];
    expect([await plain.at(4_999), await known.at(4_999)]).toEqual([false, false]);
    expect([await plain.at(5_000), await known.at(5_000)]).toEqual([true, true]);
    expect([plain.result?.statusCode, known.result?.statusCode]).toEqual([200, 304]);
  });

  it.each([
    { name: 'it has changed since', headers: { 'if-none-match': '"other"' } },
    { name: 'nobody asks for it', headers: { prefer: 'wait=0' } },
  ])('is not held when $name', async ({ headers }) => {
    expect(await held({ prefer: 'wait=20', ...headers }).at(0)).toBe(true);
    expect(looks).toBe(0);
  });

  it('is not held once the job has ended', async () => {
    await jobs.updateJob(JOB_ID, SUCCEED);
    expect(await held({ prefer: 'wait=20' }).at(0)).toBe(true);
    expect(looks).toBe(0);
  });

  it('is never held past the time that the function has', async () => {
    const answer = held({ prefer: 'wait=20' }, 9_000);
    expect(await answer.at(3_999)).toBe(false);
    expect(await answer.at(4_000)).toBe(true);
    expect(await held({ prefer: 'wait=20' }, 5_000).at(4_000)).toBe(true);
  });

  it('is held at the price of 16 looks', async () => {
    const answer = held({ prefer: 'wait=20' });
    expect(await answer.at(20_000)).toBe(true);
    expect({ looks, reads }).toEqual({ looks: 16, reads: 1 });
  });

  it('is 404 when the job is gone meanwhile', async () => {
    await update({ expiresAtSeconds: NOON / 1_000 + 3 });
    const answer = held({ prefer: 'wait=20' });
    expect(await answer.at(6_000)).toBe(true);
    expect(answer.result?.statusCode).toBe(404);
  });
});

describe('a submit that waits', () => {
  let clock: VirtualClock;
  let jobs: JobStore;

  beforeEach(() => {
    clock = new VirtualClock(NOON);
    jobs = memoryJobStore(clock);
  });

  const BODY = { agent: 'echo', input: { value: 1 } };
  const submitted = (
    world: ReturnType<typeof submitWorld>,
    headers: Record<string, string> = { prefer: 'respond-async, wait=10' },
  ) => new Held(clock, world.submit(BODY, { headers }));
  const end = async () => {
    const [entry] = (await jobs.listJobs({ tenantId: 'acme', from: 0, to: NOON * 2, limit: 1 }))
      .entries;
    await jobs.updateJob(entry?.job?.jobId ?? '', SUCCEED);
  };

  it('answers 200 with the result when the job ends in time', async () => {
    const answer = submitted(submitWorld({ jobs, clock }));
    expect(await answer.at(2_000)).toBe(false);
    await end();
    expect(await answer.at(3_500)).toBe(true);
    const body = bodyOf(answer.result ?? fail());
    expect(body).toMatchObject({ status: 'succeeded', result: { value: 1 } });
    expect(answer.result).toMatchObject({
      statusCode: 200,
      headers: {
        location: `/v1/jobs/${String(body['jobId'])}`,
        'preference-applied': 'respond-async, wait=10',
        vary: 'Prefer',
      },
    });
    expect(answer.result?.headers).not.toHaveProperty('retry-after');
  });

  it('answers 202 when it does not', async () => {
    const answer = submitted(submitWorld({ jobs, clock }));
    expect(await answer.at(9_999)).toBe(false);
    expect(await answer.at(10_000)).toBe(true);
    expect(answer.result).toMatchObject({
      statusCode: 202,
      headers: { 'retry-after': '1', 'preference-applied': 'respond-async, wait=10' },
    });
  });

  it('answers at once without wait, and says what it applied', async () => {
    const answer = submitted(submitWorld({ jobs, clock }), { prefer: 'respond-async' });
    expect(await answer.at(0)).toBe(true);
    expect(answer.result).toMatchObject({
      statusCode: 202,
      headers: { 'preference-applied': 'respond-async', vary: 'Prefer' },
    });
  });

  it('waits outside of the lock on its key, and answers 200 to the same request again', async () => {
    const world = submitWorld({ jobs, clock, runOnce: memoryRunOnce() });
    const headers = { prefer: 'wait=10', 'idempotency-key': 'k' };
    const first = submitted(world, headers);
    expect(await first.at(1_000)).toBe(false);
    const second = submitted(world, headers);
    expect(await second.at(2_000)).toBe(false);
    await end();
    expect([await first.at(4_100), await second.at(4_100)]).toEqual([true, true]);
    const third = submitted(world, headers);
    expect(await third.at(4_100)).toBe(true);

    expect(first.result?.headers).not.toHaveProperty('idempotent-replayed');
    for (const { result } of [second, third]) {
      expect(result).toMatchObject({ statusCode: 200, headers: { 'idempotent-replayed': 'true' } });
      expect(result?.body).toBe(first.result?.body);
    }
  });

  it('stays accepted when the job cannot be read', async () => {
    const broken = { ...jobs, getJob: () => Promise.reject(new Error('busy')) };
    const answer = submitted(submitWorld({ jobs: broken, clock }));
    expect(await answer.at(1_000)).toBe(true);
    expect(answer.result?.statusCode).toBe(202);
  });
});

function fail(): never {
  throw new Error('there is no answer');
}
