import { beforeEach, describe, expect, it } from '@jest/globals';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { cursorSeal } from '../../../lambdas/http/cursor-seal.ts';
import { deadLetterRoutes } from '../../../lambdas/http/dead-letter-routes.ts';
import { httpHandler, type HttpHandler } from '../../../lambdas/http/http-handler.ts';
import { router } from '../../../lambdas/http/router.ts';
import { MemoryDeadLetterQueue } from '../../../src/adapters/memory/dead-letter-queue.ts';
import { MemoryJobQueue } from '../../../src/adapters/memory/job-queue.ts';
import { memoryJobStore } from '../../../src/adapters/memory/job-store.ts';
import { MemoryNotificationQueue } from '../../../src/adapters/memory/notification-queue.ts';
import { memoryPayloadStore } from '../../../src/adapters/memory/payload-store.ts';
import { memorySecretStore } from '../../../src/adapters/memory/secret-store.ts';
import { systemClock } from '../../../src/adapters/system/clock.ts';
import { systemIdSource } from '../../../src/adapters/system/id-source.ts';
import { performDuties } from '../../../src/core/engine/duties.ts';
import type { Job } from '../../../src/core/job/job.ts';
import type { JobStore } from '../../../src/core/ports/job-store.ts';
import {
  deadLetterDetailSchema,
  deadLetterListSchema,
  redriveSchema,
} from '../../../src/protocol/dead-letters.ts';
import { LIMITS } from '../../../src/protocol/limits.ts';
import { aJob, aPage, NOON } from '../../support/builders.ts';
import { anEvent, bodyOf, recordingTelemetry, type RequestParts } from '../../support/http.ts';

const OPS = { tenantId: 'acme', scopes: 'ops' };
const GLOBEX = { tenantId: 'globex', scopes: 'ops' };
const idOf = (number: number): string => `job_${String(number).padStart(26, '0')}`;

describe('dead letters', () => {
  let jobs: JobStore;
  let queue: MemoryJobQueue;
  let letters: MemoryDeadLetterQueue;
  let handler: HttpHandler;
  let now: number;
  let remainingMs: number;

  beforeEach(() => {
    now = NOON;
    remainingMs = 29_000;
    const clock = { ...systemClock, now: () => now };
    jobs = memoryJobStore(clock);
    queue = new MemoryJobQueue(clock);
    letters = new MemoryDeadLetterQueue();
    const telemetry = recordingTelemetry();
    handler = httpHandler(telemetry, router(deadLetterRoutes(depsWith(jobs))));
  });

  const depsWith = (store: JobStore) => ({
    jobs: store,
    queue,
    deadLetters: letters,
    inbox: letters,
    notifications: new MemoryNotificationQueue({ now: () => now }),
    tenantEndpoints: () => Promise.resolve([]),
    ids: systemIdSource,
    payloads: memoryPayloadStore(),
    cursors: cursorSeal(memorySecretStore()),
    clock: { ...systemClock, now: () => now },
    telemetry: recordingTelemetry(),
  });

  /** A job that was given up, as its worker leaves it. */
  async function given(number: number, parts: Partial<Job> = {}): Promise<string> {
    const jobId = idOf(number);
    const at = NOON - 1_000_000 + number;
    await jobs.createJob(
      aJob({
        jobId,
        status: 'failed',
        epoch: 1,
        deadLettered: true,
        duties: ['deadLetter'],
        error: {
          code: 'step_failed',
          message: `step ${number} failed`,
          step: 'draft',
          attempt: 1,
          cause: { name: 'Error', message: 'no answer', stack: 'secret place', code: 'E503' },
        },
        finishedAt: at,
        updatedAt: at,
        ...parts,
      }),
    );
    const job = await jobs.getJob(jobId);
    if (job !== undefined) await performDuties(depsWith(jobs), job);
    return jobId;
  }

  const send = (parts: RequestParts): Promise<APIGatewayProxyResult> =>
    handler(anEvent({ caller: OPS, ...parts }), { getRemainingTimeInMillis: () => remainingMs });
  const get = (query: Record<string, string> = {}, parts: RequestParts = {}) =>
    send({ method: 'GET', resource: '/dead-letters', query, ...parts });
  const list = async (query: Record<string, string> = {}, parts: RequestParts = {}) =>
    deadLetterListSchema.strict().parse(bodyOf(await get(query, parts)));
  const idsOf = async (query: Record<string, string> = {}, parts: RequestParts = {}) =>
    (await list(query, parts)).deadLetters.map(({ jobId }) => jobId);
  const inspect = (jobId: string, parts: RequestParts = {}) =>
    send({
      method: 'GET',
      resource: '/dead-letters/{jobId}',
      pathParameters: { jobId },
      ...parts,
    });
  const post = (body: unknown, parts: RequestParts = {}) =>
    send({ resource: '/dead-letters/redrive', body: JSON.stringify(body), ...parts });
  const redrive = async (body: unknown, parts: RequestParts = {}) => {
    const result = await post(body, parts);
    expect(result.statusCode).toBe(200);
    return redriveSchema.strict().parse(bodyOf(result));
  };
  const job = async (jobId: string) => jobs.getJob(jobId);

  it('are listed newest first, with what is known of the reason', async () => {
    await given(1);
    await given(2);
    const page = await list();
    expect(page.next).toBeUndefined();
    expect(page.deadLetters).toEqual([
      {
        jobId: idOf(2),
        agent: 'summarize',
        generation: 1,
        code: 'step_failed',
        message: 'step 2 failed',
        step: 'draft',
        attempt: 1,
        cause: { name: 'Error', message: 'no answer', code: 'E503' },
        failedAt: new Date(NOON - 999_998).toISOString(),
        links: {
          self: `/v1/dead-letters/${idOf(2)}`,
          job: `/v1/jobs/${idOf(2)}`,
          trace: `/v1/jobs/${idOf(2)}/trace`,
        },
      },
      expect.objectContaining({ jobId: idOf(1) }),
    ]);
  });

  it('are listed by agent and code', async () => {
    await given(1);
    await given(2, { agent: 'translate' });
    await given(3, { error: { code: 'attempts_exhausted', message: '', attempt: 5 } });
    expect(await idsOf({ agent: 'translate' })).toEqual([idOf(2)]);
    expect(await idsOf({ code: 'step_failed' })).toEqual([idOf(2), idOf(1)]);
    expect(await idsOf({ code: 'step_failed', agent: 'summarize' })).toEqual([idOf(1)]);
    expect(await idsOf({ agent: 'nobody' })).toEqual([]);
  });

  it('are listed page by page, filtered or not, each once', async () => {
    for (let number = 1; number <= 7; number++) {
      await given(number, { agent: number % 2 === 0 ? 'even' : 'odd' });
    }
    for (const [filters, expected] of [
      [{}, [7, 6, 5, 4, 3, 2, 1]],
      [{ agent: 'odd' }, [7, 5, 3, 1]],
    ] as const) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await list({ ...filters, limit: '2', ...(cursor && { cursor }) });
        seen.push(...page.deadLetters.map(({ jobId }) => jobId));
        cursor = page.next;
      } while (cursor !== undefined);
      expect(seen).toEqual(expected.map(idOf));
    }
  });

  it('refuse the cursor of another tenant, of other filters, and one that nobody gave out', async () => {
    await given(1);
    await given(2);
    const { next = '' } = await list({ limit: '1' });
    for (const refused of [
      await get({ cursor: next }, { caller: GLOBEX }),
      await get({ cursor: next, agent: 'summarize' }),
      await get({ cursor: 'x' }),
    ]) {
      expect(bodyOf(refused)).toMatchObject({ status: 400, code: 'invalid_cursor' });
    }
  });

  it.each([
    { name: 'an unknown parameter', query: { status: 'failed' } },
    { name: 'no limit', query: { limit: '0' } },
    { name: 'a code that is none', query: { code: 'Step Failed' } },
  ])('refuse $name', async ({ query }) => {
    expect(bodyOf(await get(query))).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  it('leave out what was restarted, and forget it', async () => {
    const jobId = await given(1);
    await given(2);
    // As a retry that died before it removed the entry.
    await jobs.updateJob(jobId, {
      condition: { attribute: 'status', is: '=', value: 'failed' },
      set: { status: 'queued', dueAt: NOON },
      add: { generation: 1 },
      remove: ['deadLettered', 'error'],
    });
    expect(await idsOf()).toEqual([idOf(2)]);
    const { entries } = await jobs.listDeadLetters({ tenantId: 'acme', limit: 10 });
    expect(entries.map((entry) => entry.jobId)).toEqual([idOf(2)]);
  });

  it('are shown with the job and where its input is kept', async () => {
    const input = { kind: 's3', key: 'tenants/acme/k', sizeBytes: 9_000, sha256: 'ab' } as const;
    const inBucket = await given(1, { input });
    const inItem = await given(2);
    const detail = deadLetterDetailSchema.parse(bodyOf(await inspect(inBucket)));
    expect(detail).toMatchObject({
      jobId: inBucket,
      input: { key: 'tenants/acme/k', sizeBytes: 9_000, sha256: 'ab' },
      job: { jobId: inBucket, status: 'failed', deadLettered: true, error: { step: 'draft' } },
    });
    expect(bodyOf(await inspect(inItem)).input).toEqual({ sizeBytes: 18 });
    expect((await inspect(inItem)).body).not.toContain('secret place');
  });

  it('are not there for other tenants, and jobs that were not given up are none', async () => {
    const jobId = await given(1);
    const { jobId: healthy } = aJob({ jobId: idOf(9) });
    await jobs.createJob(aJob({ jobId: healthy }));
    expect(await idsOf({}, { caller: GLOBEX })).toEqual([]);
    for (const refused of [
      await inspect(jobId, { caller: GLOBEX }),
      await inspect(healthy),
      await inspect('nonsense'),
    ]) {
      expect(bodyOf(refused)).toMatchObject({ status: 404, code: 'not_found' });
    }
    const theirs = await redrive({ jobIds: [jobId] }, { caller: GLOBEX });
    expect(theirs.outcomes).toEqual([{ jobId, outcome: 'not_found' }]);
    expect((await redrive({ all: true }, { caller: GLOBEX })).outcomes).toEqual([]);
    expect(await job(jobId)).toMatchObject({ status: 'failed' });
  });

  it('need the scope ops', async () => {
    const caller = { tenantId: 'acme', scopes: 'jobs:read jobs:write' };
    for (const refused of [
      await get({}, { caller }),
      await inspect(idOf(1), { caller }),
      await post({ all: true }, { caller }),
    ]) {
      expect(bodyOf(refused)).toMatchObject({ status: 403, code: 'insufficient_scope' });
    }
  });

  describe('that are redriven', () => {
    it('run again with what they had recorded and the hint, and leave list and queue', async () => {
      const jobId = await given(1);
      const other = await given(2);
      await jobs.appendPage(aPage({ jobId }));

      const answer = await redrive({ jobIds: [jobId], hint: 'the service is back' });

      expect(answer).toEqual({
        outcomes: [{ jobId, outcome: 'redriven' }],
        more: false,
        queue: { examined: 2, removed: 1, unreadable: 0 },
      });
      expect(await job(jobId)).toMatchObject({
        status: 'queued',
        generation: 2,
        hints: ['the service is back'],
        cuts: [{ generation: 1, seq: 1, keep: 'succeeded' }],
      });
      expect((await job(jobId))?.deadLettered).toBeUndefined();
      expect(queue.receive(10).map((hint) => hint.jobId)).toEqual([jobId]);
      expect(await idsOf()).toEqual([other]);
      expect(letters.letters.map((letter) => letter.jobId)).toEqual([other]);
    });

    it('twice are redriven once', async () => {
      const jobId = await given(1);
      await redrive({ jobIds: [jobId, jobId] });
      const again = await redrive({ jobIds: [jobId] });
      expect(again.outcomes).toEqual([
        { jobId, outcome: 'already_redriven', detail: 'the job is queued' },
      ]);
      expect(await job(jobId)).toMatchObject({ generation: 2 });
      expect(queue.messages).toHaveLength(1);
    });

    it('each have an outcome of their own', async () => {
      const good = await given(1);
      const full = await given(2, { hints: Array.from({ length: LIMITS.hints }, String) });
      await jobs.createJob(aJob({ jobId: idOf(3), status: 'succeeded', dueAt: NOON }));
      const { outcomes } = await redrive({
        jobIds: [good, full, idOf(3), idOf(4), 'nonsense'],
        hint: 'again',
      });
      expect(outcomes.map(({ outcome }) => outcome)).toEqual([
        'redriven',
        'refused',
        'refused',
        'not_found',
        'not_found',
      ]);
      expect(outcomes[1]?.detail).toContain('20 hints');
      expect(outcomes[2]?.detail).toContain('succeeded');
    });

    it('of an agent that was taken from the tenant are refused', async () => {
      const jobId = await given(1);
      const caller = { ...OPS, allowedAgents: 'other' };
      const { outcomes } = await redrive({ jobIds: [jobId] }, { caller });
      expect(outcomes).toMatchObject([{ outcome: 'refused' }]);
      expect(outcomes[0]?.detail).toContain('may not use');
    });

    it('all at once are those that the filters leave', async () => {
      await given(1);
      await given(2, { agent: 'translate' });
      await given(3);
      const answer = await redrive({ all: true, agent: 'summarize' });
      expect(answer).toMatchObject({ more: false, queue: { examined: 3, removed: 2 } });
      expect(answer.outcomes.map(({ jobId }) => jobId)).toEqual([idOf(3), idOf(1)]);
      expect(await idsOf()).toEqual([idOf(2)]);
    });

    it('are as many as the request allows; the answer says how to go on', async () => {
      for (let number = 1; number <= 5; number++) await given(number);
      const first = await redrive({ all: true, limit: 2 });
      expect(first.outcomes.map(({ jobId }) => jobId)).toEqual([5, 4].map(idOf));
      const second = await redrive({ all: true, limit: 2, cursor: first.next });
      expect(second.outcomes.map(({ jobId }) => jobId)).toEqual([3, 2].map(idOf));
      expect(bodyOf(await post({ jobIds: [idOf(1)], limit: 2 }))).toMatchObject({ status: 400 });
    });

    it('are as many as there is time for; the answer says how to go on', async () => {
      for (let number = 1; number <= 10; number++) await given(number);
      remainingMs = 1_000;
      const first = await redrive({ all: true });
      expect(first.outcomes).toHaveLength(4);
      expect(first.more).toBe(true);
      const second = await redrive({ all: true, cursor: first.next });
      expect(second.outcomes.map(({ jobId }) => jobId)).toEqual([6, 5, 4, 3].map(idOf));
      const third = await redrive({ all: true, cursor: second.next });
      expect(third).toMatchObject({
        more: false,
        outcomes: [{ jobId: idOf(2) }, { jobId: idOf(1) }],
      });
      const some = await redrive({ jobIds: [1, 2, 3, 4, 5].map(idOf) });
      expect(some.outcomes).toHaveLength(4);
      expect(some).toMatchObject({ more: true });
      expect(some.next).toBeUndefined();
    });

    it('go past those that are refused', async () => {
      for (let number = 1; number <= 5; number++) await given(number, { generation: 101 });
      await given(0);
      remainingMs = 1_000;
      const first = await redrive({ all: true });
      expect(first.outcomes.map(({ outcome }) => outcome)).toEqual(Array(4).fill('refused'));
      const second = await redrive({ all: true, cursor: first.next });
      expect(second.outcomes.map(({ outcome }) => outcome)).toEqual(['refused', 'redriven']);
    });

    it('after a crash between restart and removal lose what is left of them', async () => {
      const jobId = await given(1);
      const dying = deadLetterRoutes(
        depsWith({ ...jobs, removeDeadLetter: () => Promise.reject(new Error('died')) }),
      );
      await httpHandler(recordingTelemetry(), router(dying))(
        anEvent({
          caller: OPS,
          resource: '/dead-letters/redrive',
          body: JSON.stringify({ jobIds: [jobId] }),
        }),
        { getRemainingTimeInMillis: () => 29_000 },
      );
      expect(await job(jobId)).toMatchObject({ generation: 2 });

      const { outcomes } = await redrive({ jobIds: [jobId] });

      expect(outcomes).toMatchObject([{ outcome: 'already_redriven' }]);
      const { entries } = await jobs.listDeadLetters({ tenantId: 'acme', limit: 10 });
      expect(entries).toEqual([]);
      expect(letters.letters).toEqual([]);
    });

    it('whose duties are open have them done first', async () => {
      const jobId = idOf(1);
      await jobs.createJob(
        aJob({ jobId, status: 'failed', epoch: 1, deadLettered: true, duties: ['deadLetter'] }),
      );
      const { outcomes, queue: seen } = await redrive({ jobIds: [jobId] });
      expect(outcomes).toEqual([{ jobId, outcome: 'redriven' }]);
      expect(seen).toEqual({ examined: 1, removed: 1, unreadable: 0 });
    });

    it.each([
      { name: 'nothing', body: {}, pointer: '/jobIds' },
      { name: 'no ids', body: { jobIds: [] }, pointer: '/jobIds' },
      { name: 'ids and all', body: { jobIds: [idOf(1)], all: true }, pointer: '/jobIds' },
      { name: 'ids with a filter', body: { jobIds: [idOf(1)], agent: 'a' }, pointer: '/jobIds' },
      { name: 'all: false', body: { all: false }, pointer: '/all' },
      { name: 'too many ids', body: { jobIds: Array(101).fill('x') }, pointer: '/jobIds' },
      { name: 'an empty hint', body: { all: true, hint: ' ' }, pointer: '/hint' },
      { name: 'an unknown field', body: { all: true, status: 'failed' }, pointer: '/status' },
    ])('refuse $name', async ({ body, pointer }) => {
      expect(bodyOf(await post(body))).toMatchObject({
        status: 400,
        code: 'invalid_request',
        errors: [{ pointer }],
      });
    });
  });

  it('that nobody can read stay in the queue and are counted', async () => {
    const jobId = await given(1);
    letters.put('no letter');
    letters.put(JSON.stringify({ v: 1, jobId: idOf(8), generation: 1 }));
    const { queue: seen } = await redrive({ jobIds: [jobId] });
    expect(seen).toEqual({ examined: 3, removed: 1, unreadable: 2 });
    expect(await letters.count()).toBe(2);
  });

  it('of a job that failed again stay for its new generation', async () => {
    const jobId = await given(1);
    await redrive({ jobIds: [jobId] });
    const restarted = await jobs.updateJob(jobId, {
      condition: { attribute: 'status', is: '=', value: 'queued' },
      set: { status: 'failed', deadLettered: true, duties: ['deadLetter'], finishedAt: NOON },
    });
    if (restarted.applied) await performDuties(depsWith(jobs), restarted.job);
    expect(await idsOf()).toEqual([jobId]);
    expect(letters.letters.map(({ generation }) => generation)).toEqual([2]);
    const answer = await redrive({ all: true });
    expect(answer.outcomes).toEqual([{ jobId, outcome: 'redriven' }]);
    expect(await letters.count()).toBe(0);
  });
});
