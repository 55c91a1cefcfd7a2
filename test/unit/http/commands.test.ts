import { beforeEach, describe, expect, it } from '@jest/globals';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Job } from '../../../src/core/job/job.ts';
import { DEFAULT_LANE } from '../../../src/core/ports/job-queue.ts';
import { LIMITS as CORE_LIMITS } from '../../../src/core/policy/limits.ts';
import { type JobRepresentation, jobSchema } from '../../../src/protocol/job.ts';
import { LIMITS } from '../../../src/protocol/limits.ts';
import { type Problem, problemSchema } from '../../../src/protocol/problem.ts';
import { ROUTES } from '../../../src/protocol/routes.ts';
import { aPage, aStep, NOON } from '../../support/builders.ts';
import { type CommandWorld, commandWorld, JOB_ID } from '../../support/command-world.ts';
import { bodyOf } from '../../support/http.ts';

const COMMANDS = ['cancel', 'pause', 'resume', 'retry', 'fork', 'signals/go'] as const;
const BODIES: Partial<Record<string, unknown>> = {
  fork: { fromStep: 'first' },
  'signals/go': { yes: true },
};
const ERROR = { code: 'step_failed', message: 'no', attempt: 1 };

/** A job in each status, as it may be found. */
const JOBS = {
  queued: {},
  running: { status: 'running', epoch: 1, owner: 'i-1', ownerUntil: NOON + 60_000 },
  waiting: { status: 'waiting', epoch: 1, waitingFor: 'signal' },
  succeeded: { status: 'succeeded', epoch: 1, result: { kind: 'inline', json: '1' } },
  failed: { status: 'failed', epoch: 1, error: ERROR },
  cancelled: { status: 'cancelled', epoch: 1 },
} as const satisfies Record<string, Partial<Job>>;
type Status = keyof typeof JOBS;

let world: CommandWorld;
beforeEach(() => {
  world = commandWorld();
});

function jobOf(result: APIGatewayProxyResult, status = 200): JobRepresentation {
  expect({ status: result.statusCode, body: bodyOf(result) }).toMatchObject({ status });
  return jobSchema.strict().parse(bodyOf(result));
}

function problemOf(result: APIGatewayProxyResult): Problem {
  const problem = problemSchema.strict().parse(bodyOf(result));
  expect(problem.status).toBe(result.statusCode);
  return problem;
}

/** Answers by status: 200 or 202 where the command applies, 409 where it does not. */
const APPLIES: Record<
  (typeof COMMANDS)[number],
  Partial<Record<Status, JobRepresentation['status']>>
> = {
  cancel: { queued: 'cancelled', running: 'running', waiting: 'queued', cancelled: 'cancelled' },
  pause: { queued: 'queued', running: 'running', waiting: 'waiting' },
  resume: { queued: 'queued', running: 'running', waiting: 'waiting' },
  retry: { failed: 'queued', cancelled: 'queued' },
  fork: { succeeded: 'queued' },
  'signals/go': { queued: 'queued', running: 'running', waiting: 'queued' },
};

describe.each(COMMANDS)('%s', (command) => {
  const send = () => world.send(command, BODIES[command]);

  it.each(Object.keys(JOBS) as Status[])('of a %s job, twice', async (status) => {
    await world.given(JOBS[status]);
    await world.jobs.appendPage(aPage({ jobId: JOB_ID }));
    const after = APPLIES[command][status];

    for (const result of [await send(), await send()]) {
      if (after === undefined) {
        const problem = problemOf(result);
        expect(problem).toMatchObject({ status: 409, code: 'conflict', jobStatus: status });
        expect(problem.detail).toContain(`the job is ${status}`);
      } else {
        const isAccepted = command === 'fork' || command === 'signals/go';
        expect(jobOf(result, isAccepted ? 202 : 200).status).toBe(after);
      }
    }
  });

  it.each([
    { name: "another tenant's", parts: { caller: { tenantId: 'globex', scopes: 'jobs:write' } } },
    { name: 'no', parts: { pathParameters: { jobId: `job_${'1'.repeat(26)}`, name: 'go' } } },
    { name: 'a malformed', parts: { pathParameters: { jobId: '../KEY', name: 'go' } } },
  ])('answers 404 for $name job, which stays as it is', async ({ parts }) => {
    await world.given(JOBS.waiting);
    const before = await world.job();

    const problem = problemOf(await world.send(command, BODIES[command], parts));

    expect(problem).toMatchObject({ status: 404, code: 'not_found' });
    expect(await world.job()).toEqual(before);
  });

  it('answers 403 to a key that may only read, and 401 to none', async () => {
    const caller = { tenantId: 'acme', scopes: 'jobs:read ops' };

    expect(problemOf(await world.send(command, undefined, { caller }))).toMatchObject({
      status: 403,
      code: 'insufficient_scope',
    });
    expect((await world.send(command, undefined, { caller: null })).statusCode).toBe(401);
  });
});

it('every route about a job answers 404 for a job of another tenant', async () => {
  await world.given(JOBS.waiting);
  const routes = ROUTES.filter(
    ({ path, servedBy }) => path.startsWith('/jobs/{jobId}') && servedBy === 'api',
  );

  for (const { method, path } of routes) {
    const command = path.replace('/jobs/{jobId}', '').replace('{name}', 'go').slice(1);
    const result = await world.send(command, BODIES[command], {
      method,
      resource: path,
      caller: { tenantId: 'globex', scopes: 'jobs:read jobs:write ops' },
    });
    expect({ path, ...problemOf(result) }).toMatchObject({ path, status: 404 });
  }
});

describe('bodies', () => {
  it.each([
    { command: 'cancel', body: { why: 'x' }, pointer: '/why' },
    { command: 'cancel', body: [], pointer: '' },
    { command: 'pause', body: 'null', pointer: '' },
    { command: 'resume', body: { a: 1 }, pointer: '/a' },
    { command: 'retry', body: { hints: 'x' }, pointer: '/hints' },
    { command: 'retry', body: { hint: '' }, pointer: '/hint' },
    { command: 'retry', body: { hint: ' \n' }, pointer: '/hint' },
    { command: 'retry', body: { hint: 'x'.repeat(2_001) }, pointer: '/hint' },
    { command: 'retry', body: '{"hint":"\\ud800"}', pointer: '/hint' },
    { command: 'retry', body: { fromStep: '' }, pointer: '/fromStep' },
    { command: 'retry', body: { fromStep: 'x'.repeat(257) }, pointer: '/fromStep' },
    { command: 'retry', body: { fromStep: 7 }, pointer: '/fromStep' },
    { command: 'fork', body: {}, pointer: '/fromStep' },
  ])('$command refuses $body', async ({ command, body, pointer }) => {
    await world.given(JOBS.failed);

    expect(problemOf(await world.send(command, body))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      errors: [{ pointer }],
    });
  });

  it.each(COMMANDS)('%s takes no query parameter', async (command) => {
    await world.given(JOBS.waiting);

    const query = { hint: 'no' };
    expect(problemOf(await world.send(command, BODIES[command], { query }))).toMatchObject({
      status: 400,
      errors: [{ parameter: 'hint', message: 'unknown: known are none' }],
    });
    expect(await world.job()).toMatchObject(JOBS.waiting);
  });

  it.each(['fork', 'signals/go'])('%s needs one', async (command) => {
    expect(problemOf(await world.send(command))).toMatchObject({ code: 'malformed_json' });
  });

  it.each(['', ' ', '{}'])('the others take %j', async (body) => {
    await world.given(JOBS.failed);

    jobOf(await world.send('retry', body));
    for (const command of ['pause', 'resume', 'cancel']) jobOf(await world.send(command, body));
  });

  it('a command over 32 KiB is refused with the limit', async () => {
    const problem = problemOf(await world.send('retry', { hint: 'x'.repeat(33_000) }));

    expect(problem).toMatchObject({ status: 413, limit: { maximum: 32_768, unit: 'bytes' } });
  });
});

describe('cancel', () => {
  it('ends a job that no worker has held at once, and says so in the trace', async () => {
    await world.given({});

    const job = jobOf(await world.send('cancel'));

    expect(job).toMatchObject({ status: 'cancelled', finishedAt: '2030-01-01T12:00:00.000Z' });
    const trace = await world.send('trace', undefined, { method: 'GET' });
    const { entries } = bodyOf(trace) as { entries: { type: string }[] };
    expect(entries.map(({ type }) => type)).toEqual(['job.submitted', 'job.cancelled']);
  });

  it('tells the worker of a running job, and shows when it was asked for', async () => {
    await world.given(JOBS.running);
    await world.jobs.putManifest({
      invocationId: 'i-1',
      jobIds: [JOB_ID],
      leaseExpiresAt: NOON + 60_000,
      expiresAtSeconds: NOON / 1000 + 86_400,
    });

    const job = jobOf(await world.send('cancel'));

    expect(job).toMatchObject({ status: 'running', cancelRequestedAt: '2030-01-01T12:00:00.000Z' });
    expect(await world.jobs.getManifest('i-1')).toMatchObject({ attention: [JOB_ID] });
  });

  it('tells the parent of a sub-job that never began', async () => {
    const parentId = `job_${'9'.repeat(26)}`;
    await world.given({ parentId });

    expect(jobOf(await world.send('cancel'))).toMatchObject({ status: 'cancelled', parentId });
    expect(await world.jobs.listChildOutcomes(parentId)).toMatchObject([
      { childId: JOB_ID, status: 'cancelled' },
    ]);
    expect(await world.job()).not.toHaveProperty('duties');
  });

  it('answers 200 though the queue is silent', async () => {
    const failing = {
      send: () => Promise.reject(new Error('silent')),
      backlog: () => Promise.resolve(0),
      laneOf: () => DEFAULT_LANE,
    };
    world = commandWorld({ queue: failing });
    await world.given(JOBS.waiting);

    expect(jobOf(await world.send('cancel')).status).toBe('queued');
  });
});

describe('pause', () => {
  it('holds a waiting job until it is resumed', async () => {
    await world.given({ ...JOBS.waiting, wakeAt: NOON + 1_000, waitingFor: 'sleep' });

    const paused = jobOf(await world.send('pause'));
    expect(paused).toMatchObject({ paused: true, waitingFor: { reason: 'paused' } });

    const resumed = jobOf(await world.send('resume'));
    expect(resumed).not.toHaveProperty('paused');
    expect(resumed.status).toBe('queued');
  });

  it('is refused once a cancel is under way', async () => {
    await world.given(JOBS.running);
    jobOf(await world.send('cancel'));

    expect(problemOf(await world.send('pause'))).toMatchObject({ code: 'conflict' });
  });
});

describe('retry', () => {
  const failed = async (parts: Partial<Job> = {}) => {
    await world.given({ ...JOBS.failed, ...parts });
    const entries = ['first', 'second', 'third'].map((id) => aStep(id));
    await world.jobs.appendPage(aPage({ jobId: JOB_ID, entries }));
  };

  it('goes on from a step with a hint', async () => {
    await failed();

    const job = jobOf(await world.send('retry', { fromStep: 'second', hint: 'be brief' }));

    expect(job).toMatchObject({ status: 'queued', generation: 2, hintCount: 1, attempts: 1 });
    expect(job).not.toHaveProperty('error');
    expect(await world.job()).toMatchObject({
      hints: ['be brief'],
      cuts: [{ generation: 1, seq: 1, keep: { before: 'second' } }],
    });
  });

  it('asked for again is the same restart; with another hint or step it is a conflict', async () => {
    await failed();
    const asked = { fromStep: 'second', hint: 'be brief' };

    for (let time = 0; time < 3; time++) {
      expect(jobOf(await world.send('retry', asked)).generation).toBe(2);
    }
    for (const other of [{ ...asked, hint: 'be long' }, { ...asked, fromStep: 'third' }, {}]) {
      expect(problemOf(await world.send('retry', other))).toMatchObject({
        code: 'conflict',
        jobStatus: 'queued',
      });
    }
    expect((await world.job()).hints).toEqual(['be brief']);
  });

  it('sent again after the restart has succeeded is accepted, since it was done', async () => {
    const cuts = [{ generation: 1, seq: 1, keep: { before: 'second' } }];
    await failed({ status: 'succeeded', generation: 2, cuts, hints: ['be brief'] });

    const same = { fromStep: 'second', hint: 'be brief' };
    expect(jobOf(await world.send('retry', same)).status).toBe('succeeded');
    const other = { fromStep: 'third', hint: 'be brief' };
    expect(problemOf(await world.send('retry', other))).toMatchObject({ code: 'conflict' });
  });

  it('two at once restart a job once', async () => {
    await failed();

    const results = await Promise.all([1, 2, 3].map(() => world.send('retry', { hint: 'now' })));

    for (const result of results) jobOf(result);
    expect(await world.job()).toMatchObject({ generation: 2, hints: ['now'] });
  });

  it('names the steps there are, the first hundred of them', async () => {
    await world.given(JOBS.failed);
    const entries = Array.from({ length: 150 }, (_, index) => aStep(`step-${index}`));
    await world.jobs.appendPage(aPage({ jobId: JOB_ID, entries }));

    const problem = problemOf(await world.send('retry', { fromStep: 'sept-3' }));

    expect(problem).toMatchObject({
      status: 422,
      code: 'unknown_step',
      errors: [{ pointer: '/fromStep' }],
    });
    expect(problem.detail).toContain('150');
    expect(problem.knownSteps).toHaveLength(100);
    expect(problem.knownSteps?.[0]).toBe('step-0');
  });

  it('does first what the job still owes', async () => {
    await failed({ duties: ['deadLetter'], deadLettered: true });

    jobOf(await world.send('retry'));

    expect(world.deadLetters.letters).toHaveLength(1);
  });

  it('asks to come back while that does not succeed', async () => {
    const deadLetters = { send: () => Promise.reject(new Error('silent')) };
    world = commandWorld({ deadLetters });
    await failed({ duties: ['deadLetter'] });

    const result = await world.send('retry');

    expect(problemOf(result)).toMatchObject({ code: 'conflict', jobStatus: 'failed' });
    expect(result.headers?.['retry-after']).toBe('2');
  });

  it.each([
    { name: '20 hints', job: { hints: Array<string>(20).fill('x') }, body: { hint: 'y' } },
    { name: '100 restarts', job: { generation: 101 }, body: {} },
  ])('is refused after $name', async ({ job, body }) => {
    await failed(job);

    expect(problemOf(await world.send('retry', body))).toMatchObject({ code: 'conflict' });
  });
});

describe('fork', () => {
  const done = async () => {
    const notify = { url: 'https://example.com/hooks' };
    await world.given({
      ...JOBS.succeeded,
      metadata: { a: '1' },
      tags: ['t'],
      hints: ['old'],
      notify,
    });
    const entries = ['first', 'second', 'third'].map((id) => aStep(id));
    await world.jobs.appendPage(aPage({ jobId: JOB_ID, entries }));
  };
  const fork = (body: unknown, key?: string) =>
    world.send('fork', body, key === undefined ? {} : { headers: { 'idempotency-key': key } });

  it('answers 202 with a new job that begins with what was recorded before the step', async () => {
    await done();

    const result = await fork({ fromStep: 'second', hint: 'be brief' });

    const job = jobOf(result, 202);
    expect(result.headers).toMatchObject({ location: job.links.self, 'retry-after': '1' });
    expect(job).toMatchObject({
      status: 'queued',
      agent: 'summarize',
      forkOf: JOB_ID,
      metadata: { a: '1' },
      tags: ['t'],
      notify: { url: 'https://example.com/hooks' },
      attempts: 0,
      generation: 1,
      hintCount: 2,
      links: { self: `/v1/jobs/${job.jobId}`, forkOf: `/v1/jobs/${JOB_ID}` },
    });
    const shown = await world.send('', undefined, {
      method: 'GET',
      resource: '/jobs/{jobId}',
      pathParameters: { jobId: job.jobId },
    });
    expect(jobOf(shown)).toEqual(job);
    const { pages } = await world.jobs.loadHistory(job.jobId);
    expect(pages.flatMap(({ entries }) => entries)).toEqual([aStep('first')]);
  });

  it('without a key makes a job each time', async () => {
    await done();
    const body = { fromStep: 'third' };

    expect(jobOf(await fork(body), 202).jobId).not.toBe(jobOf(await fork(body), 202).jobId);
  });

  it('with the same key is the same job, and says that it is a replay', async () => {
    await done();
    const first = await fork({ fromStep: 'third', hint: 'x' }, 'k');
    world.now += 5_000;
    const second = await fork({ hint: 'x', fromStep: 'third' }, '"k"');

    expect(jobOf(second, 202)).toEqual(jobOf(first, 202));
    expect(second.headers).toMatchObject({ 'idempotent-replayed': 'true' });
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
  });

  it('is refused when the key belongs to another fork', async () => {
    await done();
    jobOf(await fork({ fromStep: 'third' }, 'k'), 202);

    expect(problemOf(await fork({ fromStep: 'second' }, 'k'))).toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
    });
  });

  it('does not remember a refusal', async () => {
    await done();

    expect(problemOf(await fork({ fromStep: 'none' }, 'k'))).toMatchObject({
      status: 422,
      code: 'unknown_step',
      knownSteps: ['first', 'second', 'third'],
    });
    jobOf(await fork({ fromStep: 'third' }, 'k'), 202);
  });
});

describe('signal', () => {
  const signal = (body: unknown, key?: string, name = 'go') =>
    world.send(
      `signals/${name}`,
      JSON.stringify(body),
      key === undefined ? {} : { headers: { 'idempotency-key': key } },
    );

  it('is refused beyond the limit of a job, but for one that was sent before', async () => {
    expect(LIMITS.signals).toBe(CORE_LIMITS.signals);
    await world.given({ ...JOBS.waiting, signals: LIMITS.signals - 1 });
    jobOf(await signal({ last: true }), 202);
    expect((await world.job()).signals).toBe(LIMITS.signals);

    const problem = problemOf(await signal({ more: true }));
    expect(problem).toMatchObject({ status: 409, code: 'conflict', jobStatus: 'queued' });
    expect(problem.detail).toContain('1000 signals, which is the limit');

    jobOf(await signal({ last: true }), 202);
    expect(problemOf(await signal({ last: false }, 'k'))).toMatchObject({ status: 409 });
    expect(await world.jobs.listSignals(JOB_ID)).toHaveLength(1);
    expect((await world.job()).signals).toBe(LIMITS.signals);
  });

  it('counts once however often it is sent', async () => {
    await world.given(JOBS.running);

    for (let times = 0; times < 3; times++) jobOf(await signal({ ok: true }), 202);
    jobOf(await signal({ ok: true }, 'k'), 202);

    expect((await world.job()).signals).toBe(2);
  });

  it.each([{ ok: true }, [1, 2], 'text', '', 0, false, null])('takes %j', async (body) => {
    await world.given(JOBS.waiting);

    const job = jobOf(await signal(body), 202);

    expect(job.status).toBe('queued');
    expect(await world.jobs.listSignals(JOB_ID)).toMatchObject([
      { name: 'go', body: { kind: 'inline', json: JSON.stringify(body) } },
    ]);
  });

  it('of the same body counts once, unless keys tell them apart', async () => {
    await world.given(JOBS.waiting);

    for (const body of [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ])
      jobOf(await signal(body), 202);
    expect(await world.jobs.listSignals(JOB_ID)).toHaveLength(1);

    for (const key of ['k1', 'k2', 'k2']) jobOf(await signal({ a: 1, b: 2 }, key), 202);
    expect(await world.jobs.listSignals(JOB_ID)).toHaveLength(3);
  });

  it('with a key that another body has is refused', async () => {
    await world.given(JOBS.waiting);
    jobOf(await signal({ ok: true }, 'k'), 202);

    expect(problemOf(await signal({ ok: false }, 'k'))).toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
    });
    jobOf(await signal({ ok: false }, 'k', 'other'), 202);
  });

  it('sent again is accepted after the job has ended', async () => {
    await world.given(JOBS.running);
    jobOf(await signal({ ok: true }), 202);
    await world.jobs.updateJob(JOB_ID, {
      condition: { attribute: 'status', is: '=', value: 'running' },
      set: { status: 'succeeded' },
    });

    expect(jobOf(await signal({ ok: true }), 202).status).toBe('succeeded');
    expect(problemOf(await signal({ ok: false }))).toMatchObject({ jobStatus: 'succeeded' });
  });

  it('sent again is accepted also when the job ends by it at that moment', async () => {
    await world.given(JOBS.running);
    jobOf(await signal({ ok: true }), 202);
    const put = world.jobs.putSignal.bind(world.jobs);
    world.jobs.putSignal = async (given) => {
      const stored = await put(given);
      await world.jobs.updateJob(JOB_ID, {
        condition: { attribute: 'status', is: '=', value: 'running' },
        set: { status: 'succeeded' },
      });
      return stored;
    };

    expect(jobOf(await signal({ ok: true }), 202).status).toBe('succeeded');
  });

  it('takes a body of 256 KiB, and refuses one byte more with the limit', async () => {
    await world.given(JOBS.waiting);
    const limit = 256 * 1024;

    jobOf(await signal('x'.repeat(limit - 2)), 202);
    expect((await world.jobs.listSignals(JOB_ID))[0]?.body.kind).toBe('s3');
    jobOf(await signal('x'.repeat(limit - 2)), 202);
    expect(problemOf(await signal('x'.repeat(limit - 1)))).toMatchObject({
      status: 413,
      code: 'payload_too_large',
      limit: { maximum: limit, actual: limit + 1, unit: 'bytes' },
    });
  });

  it('takes a key of 255 characters that take most room', async () => {
    await world.given(JOBS.waiting);

    jobOf(await signal(1, `"${'!'.repeat(255)}"`, 'n'.repeat(64)), 202);
    expect(problemOf(await signal(1, 'k'.repeat(256)))).toMatchObject({
      code: 'invalid_idempotency_key',
    });
  });

  it.each(['', 'a b', 'ü', 'n'.repeat(65), 'a%20b', 'a#b'])('refuses the name %j', async (name) => {
    await world.given(JOBS.waiting);

    expect(problemOf(await signal(1, undefined, name))).toMatchObject({
      status: 400,
      code: 'invalid_request',
    });
  });
});
