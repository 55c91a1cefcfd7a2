import { beforeEach, describe, expect, it } from '@jest/globals';
import { apiRoutes } from '../../../lambdas/http/api-routes.ts';
import { cursorSeal } from '../../../lambdas/http/cursor-seal.ts';
import { type HttpHandler, httpHandler } from '../../../lambdas/http/http-handler.ts';
import { router } from '../../../lambdas/http/router.ts';
import { memoryJobStore } from '../../../src/adapters/memory/job-store.ts';
import { memoryPayloadStore } from '../../../src/adapters/memory/payload-store.ts';
import { memorySecretStore } from '../../../src/adapters/memory/secret-store.ts';
import { systemClock } from '../../../src/adapters/system/clock.ts';
import type { Job } from '../../../src/core/job/job.ts';
import type { JobStore } from '../../../src/core/ports/job-store.ts';
import { jobSchema } from '../../../src/protocol/job.ts';
import { type TraceRepresentation, traceSchema } from '../../../src/protocol/trace.ts';
import { aJob, aPage, aStep, NOON } from '../../support/builders.ts';
import { anEvent, bodyOf, LAMBDA_CONTEXT, recordingTelemetry } from '../../support/http.ts';

const JOB_ID = `job_${'0'.repeat(26)}`;
const GLOBEX = { tenantId: 'globex', scopes: 'jobs:read' };

describe('api', () => {
  let now: number;
  let jobs: JobStore;
  let handler: HttpHandler;

  beforeEach(() => {
    now = NOON;
    const clock = { ...systemClock, now: () => now };
    jobs = memoryJobStore(clock);
    const cursors = cursorSeal(memorySecretStore());
    const routes = apiRoutes({ jobs, payloads: memoryPayloadStore(), clock, cursors });
    handler = httpHandler(recordingTelemetry(), router(routes));
  });

  const get = (suffix = '', parts: Parameters<typeof anEvent>[0] = {}) =>
    handler(
      anEvent({
        method: 'GET',
        resource: `/jobs/{jobId}${suffix}`,
        pathParameters: { jobId: JOB_ID },
        ...parts,
      }),
      LAMBDA_CONTEXT,
    );
  const given = (parts: Partial<Job>) => jobs.createJob(aJob({ jobId: JOB_ID, ...parts }));

  describe('job', () => {
    it.each<{ name: string; job: Partial<Job>; shown: object; retryAfter: string | undefined }>([
      {
        name: 'queued',
        job: {},
        shown: {
          status: 'queued',
          waitingFor: { reason: 'worker', until: '2030-01-01T12:00:30.000Z' },
        },
        retryAfter: '1',
      },
      {
        name: 'paused',
        job: { paused: true },
        shown: { waitingFor: { reason: 'paused', until: '2030-01-31T12:00:00.000Z' } },
        retryAfter: '5',
      },
      {
        name: 'running',
        job: { status: 'running', epoch: 2, startedAt: NOON },
        shown: { status: 'running', attempts: 2, startedAt: '2030-01-01T12:00:00.000Z' },
        retryAfter: '1',
      },
      {
        name: 'sleeping',
        job: { status: 'waiting', epoch: 1, waitingFor: 'sleep', wakeAt: NOON + 9_500 },
        shown: { waitingFor: { reason: 'sleep', until: '2030-01-01T12:00:09.500Z' } },
        retryAfter: '10',
      },
      {
        name: 'sleeping long',
        job: { status: 'waiting', epoch: 1, waitingFor: 'sleep', wakeAt: NOON + 86_400_000 },
        shown: { status: 'waiting' },
        retryAfter: '30',
      },
      {
        name: 'waiting for a signal',
        job: { status: 'waiting', epoch: 1, waitingFor: 'signal', deadlineAt: NOON + 1_000 },
        shown: { waitingFor: { reason: 'signal', until: '2030-01-01T12:00:01.000Z' } },
        retryAfter: '5',
      },
      {
        name: 'paused while it sleeps',
        job: { status: 'waiting', epoch: 1, waitingFor: 'sleep', wakeAt: NOON, paused: true },
        shown: { paused: true, waitingFor: { reason: 'paused' } },
        retryAfter: '5',
      },
      {
        name: 'about to be paused and cancelled',
        job: { status: 'running', epoch: 1, paused: true, cancelRequestedAt: NOON },
        shown: { status: 'running', paused: true, cancelRequestedAt: '2030-01-01T12:00:00.000Z' },
        retryAfter: '1',
      },
      {
        name: 'restarted',
        job: { generation: 3, restartedAt: NOON, hints: ['a', 'b'] },
        shown: { generation: 3, restartedAt: '2030-01-01T12:00:00.000Z', hintCount: 2 },
        retryAfter: '1',
      },
      {
        name: 'a sub-job and a fork',
        job: { parentId: 'job_parent', forkOf: 'job_before' },
        shown: {
          parentId: 'job_parent',
          forkOf: 'job_before',
          links: { parent: '/v1/jobs/job_parent', forkOf: '/v1/jobs/job_before' },
        },
        retryAfter: '1',
      },
      {
        name: 'failed',
        job: {
          status: 'failed',
          epoch: 1,
          finishedAt: NOON,
          deadLettered: true,
          error: {
            code: 'step_failed',
            message: 'no',
            step: 'page[1]/sum',
            attempt: 1,
            cause: { name: 'Error', message: 'no', stack: 'at secret.ts', code: 'E1' },
          },
        },
        shown: {
          status: 'failed',
          deadLettered: true,
          finishedAt: '2030-01-01T12:00:00.000Z',
          error: {
            code: 'step_failed',
            message: 'no',
            step: 'page[1]/sum',
            attempt: 1,
            cause: { name: 'Error', message: 'no', code: 'E1' },
          },
        },
        retryAfter: undefined,
      },
    ])('is shown while it is $name', async ({ job, shown, retryAfter }) => {
      await given(job);

      const result = await get();

      expect(result.statusCode).toBe(200);
      expect(bodyOf(result)).toMatchObject(shown);
      expect(jobSchema.parse(bodyOf(result))).toEqual(bodyOf(result));
      expect(result.headers?.['retry-after']).toBe(retryAfter);
      expect(result.body).not.toContain('secret.ts');
    });

    it('shows the progress of the last page while it runs', async () => {
      await given({ status: 'running', epoch: 1 });
      await jobs.appendPage(
        aPage({
          jobId: JOB_ID,
          totals: {
            progress: { completed: 2, total: 5, message: 'two' },
            progressReports: 2,
            stepsSucceeded: 2,
            stepsFailed: 0,
          },
        }),
      );

      expect(bodyOf(await get()).progress).toEqual({ completed: 2, total: 5, message: 'two' });
    });

    it.each<{ name: string; result: NonNullable<Job['result']>; shown: object }>([
      {
        name: 'in the job item',
        result: { kind: 'inline', json: '{"sum":15}' },
        shown: { result: { sum: 15 } },
      },
      {
        name: 'that is null',
        result: { kind: 'inline', json: 'null' },
        shown: { result: null },
      },
      {
        name: 'in an item of its own',
        result: { kind: 'item', sizeBytes: 600 },
        shown: { result: 'large' },
      },
      {
        name: 'in the bucket',
        result: { kind: 's3', key: 'results/1', sizeBytes: 9_000, sha256: 'ab' },
        shown: {
          resultUrl: 'memory:///results/1?expires=900',
          resultUrlExpiresAt: '2030-01-01T12:15:00.000Z',
        },
      },
    ])('shows a result $name', async ({ result, shown }) => {
      const job = aJob({ jobId: JOB_ID, status: 'succeeded', epoch: 1, result });
      await jobs.createJob(job);
      await jobs.putResult({ ...job, json: '"large"' });

      expect(bodyOf(await get())).toMatchObject(shown);
    });

    it('has no result while it has not succeeded', async () => {
      await given({ status: 'failed', epoch: 1, result: { kind: 'inline', json: '1' } });

      expect(bodyOf(await get())).not.toHaveProperty('result');
    });
  });

  it.each([
    { name: 'of another tenant', parts: { caller: GLOBEX } },
    { name: 'that never was', parts: { pathParameters: { jobId: `job_${'1'.repeat(26)}` } } },
    { name: 'with an id of another form', parts: { pathParameters: { jobId: 'JOB#1' } } },
  ])('answers 404 for a job $name, and for its trace', async ({ parts }) => {
    await given({});

    for (const suffix of ['', '/trace']) {
      expect(bodyOf(await get(suffix, parts))).toMatchObject({ status: 404, code: 'not_found' });
    }
  });

  it('answers 404 once a job has expired', async () => {
    await given({});
    now += 121 * 86_400_000;

    expect((await get()).statusCode).toBe(404);
  });

  it('answers 403 when the key may not read', async () => {
    await given({});
    const caller = { tenantId: 'acme', scopes: 'jobs:write' };

    expect(bodyOf(await get('', { caller }))).toMatchObject({ code: 'insufficient_scope' });
  });

  it('answers 401 when no authorizer vouched for the request', async () => {
    expect((await get('', { caller: null })).statusCode).toBe(401);
  });

  describe('trace', () => {
    it('shows what happened in order, from the submission to the outcome', async () => {
      await given({
        status: 'succeeded',
        epoch: 3,
        finishedAt: NOON + 5_000,
        result: { kind: 'inline', json: '{"sum":15}' },
      });
      const base = { at: NOON + 1_000, attempt: 2 };
      await jobs.appendPage(
        aPage({
          jobId: JOB_ID,
          entries: [
            { type: 'attempt.started', ...base, crashes: 1, agentVersion: '1' },
            { type: 'step.started', ...base, stepId: 'a', try: 1 },
            {
              type: 'step.failed',
              ...base,
              stepId: 'a',
              try: 1,
              durationMs: 250,
              error: { name: 'Error', message: 'no', stack: 'at secret.ts' },
              retryAt: NOON + 2_000,
            },
            { ...aStep('a', JSON.stringify('x'.repeat(1_023))) },
            { ...aStep('b', '{"ok":true}') },
            { type: 'sleep.started', ...base, stepId: 'nap', until: NOON + 3_000 },
            { type: 'progress.reported', ...base, completed: 1, total: 2 },
            { type: 'log.written', ...base, level: 'info', message: 'hello', data: { a: 1 } },
          ],
        }),
      );

      const result = await get('/trace');

      const trace = traceSchema.parse(bodyOf(result));
      expect(trace).toEqual(bodyOf(result));
      expect(result.body).not.toContain('secret.ts');
      expect(trace.entries.map(({ type }) => type)).toEqual([
        'job.submitted',
        'attempt.started',
        'step.started',
        'step.failed',
        'step.succeeded',
        'step.succeeded',
        'sleep.started',
        'progress.reported',
        'log.written',
        'job.succeeded',
      ]);
      expect(trace.entries[3]).toMatchObject({
        step: 'a',
        try: 1,
        attempt: 2,
        startedAt: '2030-01-01T12:00:00.750Z',
        durationMs: 250,
        retryAt: '2030-01-01T12:00:02.000Z',
      });
      expect(trace.entries[4]).toMatchObject({ size: 1_025 });
      expect(trace.entries[4]).not.toHaveProperty('outcome');
      expect(trace.entries[5]).toMatchObject({ size: 11, outcome: { ok: true } });
      expect(trace.entries[9]).toMatchObject({ at: '2030-01-01T12:00:05.000Z', size: 10 });
    });

    it('comes in parts that a cursor joins', async () => {
      await given({ status: 'running', epoch: 1 });
      const json = JSON.stringify('x'.repeat(200_000));
      for (let seq = 1; seq <= 8; seq++) {
        await jobs.appendPage(aPage({ jobId: JOB_ID, seq, entries: [aStep(`s${seq}`, json)] }));
      }

      const steps: string[] = [];
      let parts = 0;
      let cursor: string | undefined;
      do {
        const query = cursor === undefined ? {} : { query: { cursor } };
        const trace = bodyOf(await get('/trace', query)) as TraceRepresentation;
        steps.push(
          ...trace.entries.flatMap((entry) => ('step' in entry ? (entry.step ?? []) : [])),
        );
        cursor = trace.next;
        parts += 1;
      } while (cursor !== undefined);

      expect(parts).toBeGreaterThan(1);
      expect(steps).toEqual(['s1', 's2', 's3', 's4', 's5', 's6', 's7', 's8']);
    });

    const encoded = (position: string) => Buffer.from(position).toString('base64url');

    it.each(['', 'x', '!!', encoded('1.2.3'), encoded('1.9999999999'), encoded('10000.1')])(
      'refuses the cursor %j',
      async (cursor) => {
        await given({});

        expect(bodyOf(await get('/trace', { query: { cursor } }))).toMatchObject({
          status: 400,
          code: 'invalid_request',
        });
      },
    );

    it('refuses a misspelt cursor, which would begin anew', async () => {
      await given({});

      expect(bodyOf(await get('/trace', { query: { cusor: 'x' } }))).toMatchObject({
        status: 400,
        errors: [{ parameter: 'cusor', message: 'unknown: known are cursor' }],
      });
    });

    it('shows signals, children and commands', async () => {
      await given({ status: 'running', epoch: 1 });
      const base = { at: NOON, attempt: 1 };
      const wait = { stepId: 'approve', name: 'approval' };
      const body = { kind: 'inline', json: '{"ok":true}' } as const;
      const error = { name: 'Error', message: 'no', stack: 'at secret.ts' };
      await jobs.appendPage(
        aPage({
          jobId: JOB_ID,
          entries: [
            { type: 'wait.started', ...base, ...wait, until: NOON + 1_000 },
            { type: 'signal.rejected', ...base, ...wait, signalId: 's0', error },
            { type: 'signal.received', ...base, ...wait, signalId: 's1', body },
            { type: 'wait.timed_out', ...base, ...wait },
            {
              type: 'child.spawned',
              ...base,
              stepId: 'part',
              childId: 'job_c',
              agent: 'echo',
              cancelWithParent: true,
            },
            {
              type: 'child.finished',
              ...base,
              childId: 'job_c',
              status: 'succeeded',
              result: body,
            },
            { type: 'pause.requested', ...base },
            { type: 'job.resumed', ...base },
            { type: 'cancel.requested', ...base },
            {
              type: 'job.restarted',
              ...base,
              previous: {
                status: 'failed',
                error: { code: 'step_failed', message: 'no', attempt: 1, cause: error },
              },
              hint: 'try harder',
            },
          ],
        }),
      );

      const result = await get('/trace');

      expect(traceSchema.parse(bodyOf(result))).toEqual(bodyOf(result));
      expect(result.body).not.toContain('secret.ts');
      expect((bodyOf(result) as TraceRepresentation).entries.slice(1)).toMatchObject([
        { step: 'approve', name: 'approval', until: '2030-01-01T12:00:01.000Z' },
        { signalId: 's0', error: { message: 'no' } },
        { signalId: 's1', size: 11, body: { ok: true } },
        { type: 'wait.timed_out', name: 'approval' },
        { step: 'part', childId: 'job_c', agent: 'echo', cancelWithParent: true },
        { childId: 'job_c', status: 'succeeded', size: 11 },
        { type: 'pause.requested' },
        { type: 'job.resumed' },
        { type: 'cancel.requested' },
        { previous: { status: 'failed', error: { code: 'step_failed' } }, hint: 'try harder' },
      ]);
    });

    it('ends with the error of a failed job', async () => {
      await given({ status: 'failed', epoch: 1 });
      const cause = { name: 'Error', message: 'no', stack: 'at secret.ts' };
      await jobs.appendPage(
        aPage({
          jobId: JOB_ID,
          entries: [
            {
              type: 'job.failed',
              at: NOON,
              attempt: 1,
              deadLettered: true,
              error: { code: 'step_failed', message: 'no', step: 'a', attempt: 1, cause },
            },
          ],
        }),
      );

      const { entries } = traceSchema.parse(bodyOf(await get('/trace')));

      expect(entries.at(-1)).toMatchObject({
        type: 'job.failed',
        deadLettered: true,
        error: { code: 'step_failed', cause: { message: 'no' } },
      });
    });
  });

  describe('what no route serves', () => {
    it.each([
      {
        name: 'an unknown path',
        method: 'GET',
        proxy: 'nothing/here',
        status: 404,
        allow: undefined,
      },
      { name: 'the stage itself', method: 'GET', proxy: '', status: 404, allow: undefined },
      {
        name: 'a wrong method',
        method: 'DELETE',
        proxy: `jobs/${JOB_ID}`,
        status: 405,
        allow: 'GET',
      },
      {
        name: 'a wrong method on a fixed path',
        method: 'GET',
        proxy: 'jobs',
        status: 405,
        allow: 'POST, GET',
      },
      {
        name: 'a path with a slash behind it',
        method: 'PUT',
        proxy: 'jobs/',
        status: 405,
        allow: 'POST, GET',
      },
    ])('answers $status to $name', async ({ method, proxy, status, allow }) => {
      const event = anEvent({ method, resource: '/{proxy+}', pathParameters: { proxy } });

      const result = await handler(event, LAMBDA_CONTEXT);

      expect(bodyOf(result)).toMatchObject({
        status,
        code: status === 404 ? 'not_found' : 'method_not_allowed',
      });
      expect(result.headers?.allow).toBe(allow);
    });

    it.each([
      { resource: '/jobs/{jobId}/trace', allow: 'GET' },
      { resource: '/dead-letters/{jobId}', allow: 'GET' },
      { resource: '/dead-letters/redrive', allow: 'POST' },
    ])(
      'answers 405 where the resource $resource has an ANY method',
      async ({ resource, allow }) => {
        const event = anEvent({ method: 'PATCH', resource, caller: null });

        const result = await handler(event, LAMBDA_CONTEXT);

        expect(result).toMatchObject({ statusCode: 405, headers: { allow } });
      },
    );
  });

  it('says that it is there', async () => {
    const event = anEvent({ method: 'GET', resource: '/healthz', caller: null });

    expect(bodyOf(await handler(event, LAMBDA_CONTEXT))).toEqual({ status: 'ok' });
  });
});
