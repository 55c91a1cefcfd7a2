import { once } from 'node:events';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { apiRoutes } from '../../../lambdas/http/api-routes.ts';
import { cursorSeal } from '../../../lambdas/http/cursor-seal.ts';
import { eventsRoute } from '../../../lambdas/http/events-route.ts';
import { httpHandler } from '../../../lambdas/http/http-handler.ts';
import { router } from '../../../lambdas/http/router.ts';
import { type StreamedHandler, streamedHandler } from '../../../lambdas/http/streamed-handler.ts';
import { memoryJobStore } from '../../../src/adapters/memory/job-store.ts';
import { memoryPayloadStore } from '../../../src/adapters/memory/payload-store.ts';
import { memorySecretStore } from '../../../src/adapters/memory/secret-store.ts';
import type { Job } from '../../../src/core/job/job.ts';
import type { JournalEntry } from '../../../src/core/job/journal.ts';
import type { JobLook, JobStore } from '../../../src/core/ports/job-store.ts';
import type { TraceRepresentation } from '../../../src/protocol/trace.ts';
import { aJob, aPage, aStep, NOON } from '../../support/builders.ts';
import { LambdaStream } from '../../support/event-stream.ts';
import { anEvent, bodyOf, LAMBDA_CONTEXT, recordingTelemetry } from '../../support/http.ts';
import { turns, VirtualClock } from '../../support/virtual-clock.ts';

const JOB_ID = `job_${'0'.repeat(26)}`;
const CONTEXT = { getRemainingTimeInMillis: () => 330_000 };
const FAILED: JournalEntry = {
  type: 'job.failed',
  at: NOON,
  attempt: 1,
  error: { code: 'agent_failed', message: 'no', attempt: 1 },
  deadLettered: false,
};
const RESTARTED: JournalEntry = {
  type: 'job.restarted',
  at: NOON,
  attempt: 1,
  previous: { status: 'failed' },
};
const SUCCESS: Partial<Job> = {
  status: 'succeeded',
  epoch: 1,
  finishedAt: NOON,
  result: { kind: 'inline', json: '"done"' },
};

describe('events', () => {
  let clock: VirtualClock;
  let jobs: JobStore;
  let looks: { consistent: boolean }[];
  let telemetry: ReturnType<typeof recordingTelemetry>;
  let handler: StreamedHandler;

  beforeEach(() => {
    clock = new VirtualClock(NOON);
    jobs = memoryJobStore(clock);
    looks = [];
    telemetry = recordingTelemetry();
    handler = handlerOver(jobs);
  });

  function handlerOver(store: JobStore): StreamedHandler {
    const watched: JobStore = {
      ...store,
      lookAt: (jobId, after, options) => {
        looks.push(options);
        return store.lookAt(jobId, after, options);
      },
    };
    const withHead = (stream: LambdaStream, head: LambdaStream['head']) =>
      Object.assign(stream, { head });
    return streamedHandler(
      { telemetry, clock, withHead: withHead as never, origins: [] },
      eventsRoute({ jobs: watched, clock }),
    );
  }

  interface Opened {
    readonly stream: LambdaStream;
    /** Whether the function has returned. */
    readonly returned: () => boolean;
    readonly done: Promise<void>;
  }

  function open(parts: Parameters<typeof anEvent>[0] = {}, stream = new LambdaStream()): Opened {
    let isDone = false;
    const event = anEvent({
      method: 'GET',
      resource: '/jobs/{jobId}/events',
      pathParameters: { jobId: JOB_ID },
      ...parts,
    });
    const done = handler(event, stream, CONTEXT).finally(() => (isDone = true));
    return { stream, returned: () => isDone, done };
  }

  /** Opens a stream that ends by itself. */
  async function readAll(parts: Parameters<typeof anEvent>[0] = {}): Promise<LambdaStream> {
    const { stream, done } = open(parts);
    const ended = once(stream, 'finish');
    await done;
    await ended;
    return stream;
  }

  const behind = (id: string) => ({ headers: { 'last-event-id': id } });

  /** What the other route says of the job. */
  async function trace(): Promise<TraceRepresentation['entries']> {
    const cursors = cursorSeal(memorySecretStore());
    const routes = apiRoutes({ jobs, payloads: memoryPayloadStore(), clock, cursors });
    const event = anEvent({
      method: 'GET',
      resource: '/jobs/{jobId}/trace',
      pathParameters: { jobId: JOB_ID },
    });
    const result = await httpHandler(telemetry, router(routes))(event, LAMBDA_CONTEXT);
    return bodyOf(result).entries as TraceRepresentation['entries'];
  }

  const given = (parts: Partial<Job> = {}) => jobs.createJob(aJob({ jobId: JOB_ID, ...parts }));
  const change = (set: Partial<Job>) =>
    jobs.updateJob(JOB_ID, { condition: { attribute: 'status', is: 'present' }, set });
  const append = (seq: number, entries: JournalEntry[], generation = 1) =>
    jobs.appendPage(aPage({ jobId: JOB_ID, generation, seq, entries }));

  /** Lets time pass, timer by timer. */
  async function pass(ms: number): Promise<void> {
    const until = clock.now() + ms;
    do await turns();
    while (clock.fireNext(until));
    clock.jump(Math.max(0, until - clock.now()));
    await turns();
  }

  describe('of a job that has ended', () => {
    it.each<{ name: string; job: Partial<Job>; pages: [number, JournalEntry[]][]; ids: string[] }>([
      {
        name: 'succeeded',
        job: SUCCESS,
        pages: [
          [1, [aStep('a'), aStep('b')]],
          [2, [aStep('c')]],
        ],
        ids: ['0.0.0', '1.1.0', '1.1.1', '1.2.0', '1.9999999999.0'],
      },
      {
        name: 'failed',
        job: { status: 'failed', epoch: 1, finishedAt: NOON },
        pages: [[1, [aStep('a'), FAILED]]],
        ids: ['0.0.0', '1.1.0', '1.1.1'],
      },
      {
        name: 'was cancelled before any worker held it',
        job: { status: 'cancelled', epoch: 0, finishedAt: NOON },
        pages: [],
        ids: ['0.0.0', '1.9999999999.0'],
      },
    ])('are those of the trace when it $name', async ({ job, pages, ids }) => {
      await given(job);
      for (const [seq, entries] of pages) await append(seq, entries);

      const stream = await readAll();

      expect(stream.head).toMatchObject({
        statusCode: 200,
        headers: { 'content-type': 'text/event-stream', 'x-request-id': 'request-1' },
      });
      expect(stream.parser.ids).toEqual(ids);
      expect(stream.parser.entries).toEqual(await trace());
    });

    it('go on behind any of them, by header and by query', async () => {
      await given(SUCCESS);
      await append(1, [aStep('a'), aStep('b')]);
      await append(2, [aStep('c')]);
      const { ids } = (await readAll()).parser;

      for (const [index, id] of ids.slice(0, -1).entries()) {
        expect((await readAll(behind(id))).parser.ids).toEqual(ids.slice(index + 1));
        expect((await readAll({ query: { after: id } })).parser.ids).toEqual(ids.slice(index + 1));
      }
    });

    it('go on behind what the client saw last, not behind what its address says', async () => {
      await given(SUCCESS);
      await append(1, [aStep('a'), aStep('b')]);

      const stream = await readAll({ ...behind('1.1.0'), query: { after: '0.0.0' } });

      expect(stream.parser.ids[0]).toBe('1.1.1');
    });

    it.each<{ name: string; job: Partial<Job>; entries: JournalEntry[] }>([
      { name: 'succeeded', job: SUCCESS, entries: [aStep('a')] },
      { name: 'failed', job: { status: 'failed', epoch: 1 }, entries: [FAILED] },
      {
        name: 'failed while a command was noted behind its end',
        job: { status: 'failed', epoch: 1 },
        entries: [FAILED, { type: 'pause.requested', at: NOON, attempt: 1 }],
      },
      { name: 'cancelled', job: { status: 'cancelled', epoch: 0 }, entries: [] },
    ])('are over behind the last one: 204 when it $name', async ({ job, entries }) => {
      await given(job);
      for (const [index, entry] of entries.entries()) await append(index + 1, [entry]);
      const { ids } = (await readAll()).parser;

      const again = await readAll(behind(ids.at(-1) ?? ''));

      expect(again.head?.statusCode).toBe(204);
      expect(again.text).toBe('');
    });

    it('come page by page, each once, when there are thousands', async () => {
      await given(SUCCESS);
      const entries = Array.from({ length: 50 }, (_, at) =>
        aStep(`s${at}`, `"${'x'.repeat(1_000)}"`),
      );
      for (let seq = 1; seq <= 60; seq++) await append(seq, entries);

      const stream = await readAll();

      expect(stream.parser.ids).toHaveLength(3_002);
      expect(new Set(stream.parser.ids).size).toBe(3_002);
      // The pages came in parts of at most 1 MB, and never did more than a piece wait to be sent.
      expect(looks.length).toBeGreaterThan(3);
      expect(stream.mostWaitingBytes).toBeLessThan(128 * 1024);
    });
  });

  describe('of a job that was restarted', () => {
    beforeEach(async () => {
      await given({
        ...SUCCESS,
        generation: 3,
        epoch: 2,
        cuts: [
          { generation: 1, seq: 2, keep: 'succeeded' },
          { generation: 2, seq: 0, keep: 'succeeded' },
        ],
      });
      await append(1, [aStep('a')]);
      await append(2, [FAILED]);
      await append(1, [RESTARTED], 3);
      await append(2, [aStep('b')], 3);
    });

    const IDS = ['0.0.0', '1.1.0', '1.2.0', '3.1.0', '3.2.0', '3.9999999999.0'];

    it('are those of all generations, also of one without a page', async () => {
      const stream = await readAll();

      expect(stream.parser.ids).toEqual(IDS);
      expect(stream.parser.entries).toEqual(await trace());
    });

    it('go on behind the end of an earlier generation', async () => {
      expect((await readAll(behind('1.2.0'))).parser.ids).toEqual(IDS.slice(3));
      expect((await readAll(behind('2.9999999999.0'))).parser.ids).toEqual(IDS.slice(3));
    });

    it('leave out what a worker that had lost the job wrote behind the cut', async () => {
      await append(3, [aStep('zombie')]);

      expect((await readAll()).parser.ids).toEqual(IDS);
    });
  });

  describe('of a job under way', () => {
    it('come as they happen, up to the final one', async () => {
      await given({ status: 'running', epoch: 1 });
      const { stream, done } = open();
      await pass(100);
      expect(stream.parser.ids).toEqual(['0.0.0']);

      await append(1, [aStep('a')]);
      await pass(600);
      expect(stream.parser.ids).toEqual(['0.0.0', '1.1.0']);

      await append(2, [aStep('b')]);
      await change(SUCCESS);
      await pass(2_000);
      await done;

      expect(stream.parser.ids).toEqual(['0.0.0', '1.1.0', '1.2.0', '1.9999999999.0']);
      expect(stream.parser.entries).toEqual(await trace());
      expect(looks.at(-1)).toEqual({ consistent: true });
    });

    it('hold the final one back until the job shows it as well', async () => {
      await given({ status: 'running', epoch: 1 });
      const { stream, done } = open();
      await append(1, [aStep('a'), FAILED]);
      await pass(10_000);
      expect(stream.parser.ids).toEqual(['0.0.0', '1.1.0']);

      await change({ status: 'failed' });
      await pass(3_000);
      await done;

      expect(stream.parser.ids).toEqual(['0.0.0', '1.1.0', '1.1.1']);
    });

    it('go on when the job is restarted while somebody reads', async () => {
      await given({ status: 'running', epoch: 1 });
      const { stream, done } = open();
      await pass(100);
      await append(1, [FAILED]);
      await change({
        status: 'queued',
        generation: 2,
        cuts: [{ generation: 1, seq: 1, keep: 'succeeded' }],
      });
      await append(1, [RESTARTED], 2);
      await pass(3_000);
      expect(stream.parser.ids).toEqual(['0.0.0', '1.1.0', '2.1.0']);

      await change(SUCCESS);
      await pass(3_000);
      await done;
      expect(stream.parser.ids.at(-1)).toBe('2.9999999999.0');
    });

    it('end with the job itself', async () => {
      await given({ status: 'running', epoch: 1, expiresAtSeconds: NOON / 1000 + 60 });
      const { stream, done } = open();
      await pass(70_000);
      await done;

      expect(stream.parser.ids).toEqual(['0.0.0']);
      expect(stream.writableFinished).toBe(true);
    });

    it('show no page before an earlier one that a look has missed', async () => {
      const late = lateStore(jobs);
      handler = handlerOver(late.store);
      await given({ status: 'running', epoch: 1 });
      const { stream, done } = open();
      await pass(100);
      for (const seq of [1, 2, 3]) await append(seq, [aStep(`s${seq}`)]);
      late.missing = [1, 3];
      await pass(3_000);
      expect(stream.parser.ids).toEqual(['0.0.0']);

      late.missing = [2];
      await pass(3_000);
      expect(stream.parser.ids).toEqual(['0.0.0', '1.1.0']);

      // Success is seen together with a page that is still missing: the end must wait for it.
      await change(SUCCESS);
      await pass(3_000);
      await done;
      expect(stream.parser.ids).toEqual(['0.0.0', '1.1.0', '1.2.0', '1.3.0', '1.9999999999.0']);
    });
  });

  describe('take', () => {
    it('few reads of a job that sleeps, and shows it is alive', async () => {
      await given({ status: 'waiting', waitingFor: 'sleep', epoch: 1, wakeAt: NOON + 86_400_000 });
      const { stream, returned } = open();
      await pass(120_000);

      expect(stream.parser.comments.length).toBeGreaterThanOrEqual(7);
      expect(looks.length).toBeLessThan(20);
      expect(returned()).toBe(false);
    });

    it('a look soon after the time at which a sleeping job wakes', async () => {
      await given({ status: 'waiting', waitingFor: 'sleep', epoch: 1, wakeAt: NOON + 100_000 });
      const { stream } = open();
      await pass(99_000);
      await append(1, [aStep('woken')]);
      await pass(1_600);

      expect(stream.parser.ids).toEqual(['0.0.0', '1.1.0']);
    });

    it('five minutes, after which the client comes back in a second', async () => {
      await given({ status: 'running', epoch: 1 });
      const { stream, done, returned } = open();
      await pass(299_000);
      expect(returned()).toBe(false);
      await pass(1_000);
      await done;

      expect(stream.parser.retryMs).toBe(1_000);
      expect(stream.writableFinished).toBe(true);
      expect(telemetry.lines.at(-1)?.fields).toMatchObject({ endedBy: 'time', events: 1 });
    });
  });

  describe('to a client that', () => {
    /** More than a stream takes before it asks to wait. */
    const large = () =>
      Array.from({ length: 60 }, (_, at) => aStep(`s${at}`, `"${'x'.repeat(900)}"`));

    it('reads slowly wait, and nothing is read for it meanwhile', async () => {
      await given({ status: 'running', epoch: 1 });
      const { stream } = open();
      await pass(100);
      stream.isReading = false;
      await append(1, large());
      await pass(1_000);
      const looksBefore = looks.length;
      await pass(20_000);
      expect(looks).toHaveLength(looksBefore);

      stream.read();
      await pass(1_000);
      expect(stream.parser.ids).toHaveLength(61);
    });

    it('takes nothing for half a minute are given up', async () => {
      await given({ status: 'running', epoch: 1 });
      const { stream, done } = open();
      await pass(100);
      stream.isReading = false;
      await append(1, large());
      await pass(32_000);
      await done;

      expect(stream.destroyed).toBe(true);
      expect(telemetry.lines.at(-1)?.fields).toMatchObject({ endedBy: 'gone' });
    });

    it.each(['close', 'error'])('went away are not read (%s)', async (how) => {
      await given({ status: 'running', epoch: 1 });
      const { stream, done } = open();
      await pass(1_000);
      stream.destroy(how === 'error' ? new Error('EPIPE') : undefined);
      await pass(100);
      await done;
      const looksBefore = looks.length;
      await pass(60_000);

      expect(looks).toHaveLength(looksBefore);
      expect(telemetry.lines.at(-1)?.fields).toMatchObject({ endedBy: 'gone' });
    });
  });

  describe('refusals', () => {
    it.each([
      { name: 'no job', parts: { pathParameters: { jobId: 'job_none' } }, status: 404 },
      {
        name: "another tenant's job",
        parts: { caller: { tenantId: 'globex', scopes: 'jobs:read' } },
        status: 404,
      },
      {
        name: 'a key without the scope',
        parts: { caller: { tenantId: 'acme', scopes: 'jobs:write' } },
        status: 403,
      },
      { name: 'no caller', parts: { caller: null }, status: 401 },
      { name: 'a malformed position', parts: { query: { after: 'abc' } }, status: 400 },
      { name: 'a misspelt parameter', parts: { query: { afer: '1.1.0' } }, status: 400 },
      { name: 'half a position', parts: behind('1.2'), status: 400 },
      { name: 'a position of a generation to come', parts: behind('2.1.0'), status: 400 },
    ])('answer $status as a problem to $name', async ({ parts, status }) => {
      await given();

      const stream = await readAll(parts);

      expect(stream.head).toMatchObject({
        statusCode: status,
        headers: { 'content-type': 'application/problem+json', 'x-request-id': 'request-1' },
      });
      expect(JSON.parse(stream.text)).toMatchObject({ status, requestId: 'request-1' });
    });

    it('end a stream whose reads fail, so that the client comes back for the rest', async () => {
      await given({ status: 'running', epoch: 1 });
      let isBroken = false;
      handler = handlerOver({
        ...jobs,
        lookAt: (...args) =>
          isBroken ? Promise.reject(new Error('out of order')) : jobs.lookAt(...args),
      });
      const { stream, done } = open();
      await pass(100);
      isBroken = true;
      await pass(1_000);
      await done;

      expect(stream.parser.ids).toEqual(['0.0.0']);
      expect(stream.writableFinished).toBe(true);
      expect(telemetry.lines).toContainEqual(
        expect.objectContaining({ level: 'error', message: 'stream failed' }),
      );
    });
  });
});

/** A store whose eventually consistent looks miss pages of these numbers. */
function lateStore(jobs: JobStore) {
  const late = { missing: [] as number[], store: jobs };
  late.store = {
    ...jobs,
    lookAt: async (jobId, after, options): Promise<JobLook> => {
      const look = await jobs.lookAt(jobId, after, options);
      if (options.consistent) return look;
      return { ...look, pages: look.pages.filter(({ seq }) => !late.missing.includes(seq)) };
    },
  };
  return late;
}
