import { describe, expect, it } from '@jest/globals';
import { batchRoute, type BatchRouteDeps } from '../../../lambdas/http/batch-route.ts';
import { httpHandler } from '../../../lambdas/http/http-handler.ts';
import { MemoryJobQueue } from '../../../src/adapters/memory/job-queue.ts';
import { memoryJobStore } from '../../../src/adapters/memory/job-store.ts';
import { memoryPayloadStore } from '../../../src/adapters/memory/payload-store.ts';
import { systemClock } from '../../../src/adapters/system/clock.ts';
import { systemIdSource } from '../../../src/adapters/system/id-source.ts';
import { uploadKey } from '../../../src/core/job/payload-keys.ts';
import { newUploadId } from '../../../src/core/job/upload.ts';
import type { QueuedHint } from '../../../src/core/ports/job-queue.ts';
import type { JobStore } from '../../../src/core/ports/job-store.ts';
import { type BatchAnswer, batchAnswerSchema } from '../../../src/protocol/batch.ts';
import { registry } from '../../support/agents.ts';
import { NOON } from '../../support/builders.ts';
import { memoryRunOnce } from '../../support/command-world.ts';
import { anEvent, bodyOf, recordingTelemetry, type RequestParts } from '../../support/http.ts';

const ENTRY = { agent: 'echo', input: { value: 1 } };

function batchWorld(overrides: Partial<BatchRouteDeps> = {}, remainingMs = 29_000) {
  const clock = { ...systemClock, now: () => NOON };
  const telemetry = recordingTelemetry();
  const jobs = overrides.jobs ?? memoryJobStore(clock);
  const queue = new MemoryJobQueue(clock);
  const handler = httpHandler(
    telemetry,
    batchRoute({
      hints: queue,
      payloads: memoryPayloadStore(),
      runOnce: memoryRunOnce(),
      clock,
      ids: systemIdSource,
      retentionDays: 90,
      telemetry,
      agents: registry,
      webhooks: { allowLoopback: false },
      ...overrides,
      jobs,
    }),
  );
  const send = (body: unknown, parts: RequestParts = {}) =>
    handler(anEvent({ resource: '/jobs/batch', body: JSON.stringify(body), ...parts }), {
      getRemainingTimeInMillis: () => remainingMs,
    });
  const submit = async (entries: readonly unknown[]): Promise<BatchAnswer['outcomes']> => {
    const result = await send({ jobs: entries });
    expect(result.statusCode).toBe(200);
    return batchAnswerSchema.strict().parse(bodyOf(result)).outcomes;
  };
  return { jobs: jobs as JobStore, queue, telemetry, send, submit };
}

const jobIdOf = (outcome: BatchAnswer['outcomes'][number] | undefined) =>
  outcome !== undefined && 'job' in outcome ? outcome.job.jobId : 'refused';

describe('POST /jobs/batch', () => {
  it('reads uploads one after the other: a single one may take half of the memory', async () => {
    const payloads = memoryPayloadStore();
    let [reading, most] = [0, 0];
    const { submit, jobs } = batchWorld({
      payloads: {
        ...payloads,
        readUpload: async (ref) => {
          most = Math.max(most, ++reading);
          const answer = await payloads.readUpload(ref);
          await new Promise((resolve) => setTimeout(resolve, 1));
          reading--;
          return answer;
        },
      },
    });
    const json = JSON.stringify({ value: 'x'.repeat(9_000) });
    const sha256 = systemIdSource.sha256(json);
    const uploadId = newUploadId(systemIdSource, { sizeBytes: json.length, sha256 });
    await payloads.put(uploadKey({ tenantId: 'acme', uploadId }), json);
    const uploaded = { agent: 'echo', inputRef: { uploadId } };

    const outcomes = await submit([
      uploaded,
      { ...uploaded, idempotencyKey: 'k' },
      { ...ENTRY, idempotencyKey: 'k' },
      ENTRY,
      uploaded,
    ]);

    expect(most).toBe(1);
    expect(outcomes.map(({ status }) => status)).toEqual([202, 202, 422, 202, 202]);
    const job = await jobs.getJob(jobIdOf(outcomes[0]));
    expect(job?.input).toMatchObject({ kind: 's3', sha256, sizeBytes: json.length });
  });

  it('makes a job of each entry, and sends their hints together', async () => {
    const sent: number[] = [];
    const { jobs, submit } = batchWorld({
      hints: {
        sendAll: (hints: readonly QueuedHint[]) => {
          sent.push(hints.length);
          return Promise.resolve([]);
        },
      },
    });

    const outcomes = await submit(
      [1, 2, 3].map((value) => ({ ...ENTRY, input: { value }, tags: [`t${value}`] })),
    );

    expect(outcomes).toMatchObject(
      [1, 2, 3].map((n) => ({ status: 202, job: { tags: [`t${n}`] } })),
    );
    for (const [index, outcome] of outcomes.entries()) {
      const job = await jobs.getJob(jobIdOf(outcome));
      expect(job?.input).toEqual({ kind: 'inline', json: `{"value":${index + 1}}` });
    }
    expect(sent).toEqual([3]);
  });

  it('answers each entry by itself, and leads to its faults', async () => {
    const { queue, submit } = batchWorld();

    const outcomes = await submit([
      ENTRY,
      { agent: 'nobody', input: 1 },
      { ...ENTRY, inputs: 1 },
      { agent: 'order', input: { customer: {}, lines: [] } },
      { ...ENTRY, idempotencyKey: 'a,b' },
      { ...ENTRY, limits: { maxDuration: '400d' } },
      'no object',
      { ...ENTRY, idempotencyKey: 7 },
    ]);

    expect(outcomes.map(({ status }) => status)).toEqual([202, 422, 400, 422, 400, 422, 400, 400]);
    expect(
      outcomes.map((outcome) => ('problem' in outcome ? outcome.problem.code : 'accepted')),
    ).toEqual([
      'accepted',
      'unknown_agent',
      'invalid_request',
      'invalid_input',
      'invalid_idempotency_key',
      'invalid_limits',
      'invalid_request',
      'invalid_request',
    ]);
    const pointers = outcomes.map((outcome) =>
      'problem' in outcome ? outcome.problem.errors?.[0]?.pointer : undefined,
    );
    expect(pointers).toEqual([
      undefined,
      '/jobs/1/agent',
      '/jobs/2/inputs',
      '/jobs/3/input/customer/name',
      undefined,
      '/jobs/5/limits/maxDuration',
      '/jobs/6',
      '/jobs/7/idempotencyKey',
    ]);
    expect(queue.messages).toHaveLength(1);
  });

  it('takes entries with one key like requests one after the other', async () => {
    const { queue, submit } = batchWorld();
    const keyed = { ...ENTRY, idempotencyKey: 'k' };

    const outcomes = await submit([keyed, ENTRY, keyed, { ...keyed, input: { value: 2 } }, ENTRY]);

    expect(outcomes).toMatchObject([
      { status: 202 },
      { status: 202 },
      { status: 202, replayed: true },
      { status: 422, problem: { code: 'idempotency_key_reused' } },
      { status: 202 },
    ]);
    expect(outcomes[0]).not.toHaveProperty('replayed');
    expect(jobIdOf(outcomes[2])).toBe(jobIdOf(outcomes[0]));
    expect(new Set(queue.messages.map(({ hint }) => hint.jobId)).size).toBe(3);
  });

  it('makes no second job when the same batch comes again after a crash in the middle', async () => {
    const store = memoryJobStore({ now: () => NOON });
    const entries = Array.from({ length: 40 }, (_, index) => ({
      ...ENTRY,
      idempotencyKey: `key-${index}`,
    }));
    // Whatever has not begun by then never does, and no hint is sent.
    let writes = 0;
    const dying = {
      ...store,
      createJob: (...args: Parameters<JobStore['createJob']>) =>
        ++writes > 25 ? new Promise<never>(() => undefined) : store.createJob(...args),
    };
    void batchWorld({ jobs: dying }).send({ jobs: entries });
    while (writes <= 25) await new Promise(setImmediate);

    const { queue, submit } = batchWorld({ jobs: store });
    const outcomes = await submit(entries);

    expect(outcomes.every(({ status }) => status === 202)).toBe(true);
    expect(outcomes.filter((outcome) => 'replayed' in outcome)).not.toHaveLength(40);
    const listed = await store.listJobs({ tenantId: 'acme', from: 0, to: NOON * 2, limit: 100 });
    expect(listed.entries).toHaveLength(40);
    // Those that were made before are still queued and get their hint, too.
    expect(queue.messages).toHaveLength(40);
  });

  it('takes a key for the same however it is written', async () => {
    const store = memoryJobStore({ now: () => NOON });
    let [underWay, most] = [0, 0];
    const createJob = async (...args: Parameters<JobStore['createJob']>) => {
      most = Math.max(most, ++underWay);
      await new Promise(setImmediate);
      underWay--;
      return store.createJob(...args);
    };
    const { submit } = batchWorld({ jobs: { ...store, createJob } });
    const written = ['k', '"k"', ' k '].map((idempotencyKey) => ({ ...ENTRY, idempotencyKey }));

    const outcomes = await submit(written);

    expect(outcomes.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(new Set(outcomes.map(jobIdOf)).size).toBe(1);
    expect(most).toBe(1);
  });

  it('keeps at most 25 entries under way', async () => {
    const store = memoryJobStore({ now: () => NOON });
    let [underWay, most] = [0, 0];
    const counting = {
      ...store,
      createJob: async (...args: Parameters<JobStore['createJob']>) => {
        most = Math.max(most, ++underWay);
        await new Promise(setImmediate);
        underWay--;
        return store.createJob(...args);
      },
    };
    await batchWorld({ jobs: counting }).submit(Array.from({ length: 100 }, () => ENTRY));
    expect(most).toBe(25);
  });

  it('leaves to the sweeper what the queue refuses', async () => {
    const { telemetry, submit } = batchWorld({
      hints: { sendAll: () => Promise.reject(new Error('the queue is gone')) },
    });
    expect(await submit([ENTRY, ENTRY])).toMatchObject([{ status: 202 }, { status: 202 }]);
    expect(telemetry.counts).toContainEqual({ metric: 'EnqueueFailed', agent: undefined });
  });

  it('tells of an entry whose job could not be stored that it may be sent again', async () => {
    const store = memoryJobStore({ now: () => NOON });
    const busy = {
      ...store,
      createJob: () => Promise.reject(Object.assign(new Error(), { name: 'ThrottlingException' })),
    };
    expect(await batchWorld({ jobs: busy }).submit([ENTRY])).toMatchObject([
      { status: 503, problem: { code: 'unavailable' } },
    ]);
  });

  it('begins no entry for which the time is too short', async () => {
    expect(await batchWorld({}, 7_000).submit([ENTRY])).toMatchObject([
      { status: 503, problem: { code: 'unavailable', detail: expect.stringMatching(/again/) } },
    ]);
  });

  it('sends delayed hints with their delay', async () => {
    const { queue, submit } = batchWorld();
    await submit([
      { ...ENTRY, delay: '5m' },
      { ...ENTRY, delay: '2h' },
    ]);
    expect(queue.messages.map(({ readyAt }) => readyAt)).toEqual([NOON + 300_000]);
  });

  it('names ten faults of an entry at most', async () => {
    const entry = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`x${index}`, 1]));
    const [outcome] = await batchWorld().submit([{ ...ENTRY, ...entry }]);
    expect(outcome).toMatchObject({
      problem: { detail: '200 faults, the first 100 are listed: see errors' },
    });
    expect(outcome !== undefined && 'problem' in outcome && outcome.problem.errors).toHaveLength(
      10,
    );
  });

  it.each([
    { name: 'no entries', body: { jobs: [] }, pointer: '/jobs' },
    {
      name: 'too many',
      body: { jobs: Array.from({ length: 101 }, () => ENTRY) },
      pointer: '/jobs',
    },
    { name: 'something else', body: { job: ENTRY }, pointer: '/jobs' },
    { name: 'a single submission', body: ENTRY, pointer: '/jobs' },
  ])('is refused as a whole with $name', async ({ body, pointer }) => {
    const problem = bodyOf(await batchWorld().send(body));
    expect(problem).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(problem['errors']).toContainEqual(expect.objectContaining({ pointer }));
  });

  it('is refused above 2 MiB, and without the scope', async () => {
    const { send } = batchWorld();
    const large = { jobs: [{ ...ENTRY, input: { value: 'x'.repeat(2 * 1024 * 1024) } }] };
    expect(bodyOf(await send(large))).toMatchObject({ status: 413, code: 'payload_too_large' });
    const caller = { tenantId: 'acme', scopes: 'jobs:read' };
    expect(bodyOf(await send({ jobs: [ENTRY] }, { caller }))).toMatchObject({
      code: 'insufficient_scope',
    });
  });
});
