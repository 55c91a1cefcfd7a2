import { describe, expect, it } from '@jest/globals';
import { bodyOf } from '../../support/http.ts';
import { NOON } from '../../support/builders.ts';
import { submitWorld } from '../../support/submit-world.ts';
import { turns, VirtualClock } from '../../support/virtual-clock.ts';
import { impatientQueue } from '../../../src/core/commands/impatient-queue.ts';
import { DEFAULT_LANE } from '../../../src/core/ports/job-queue.ts';
import { METRICS } from '../../../src/settings/names.ts';

const DAY_MS = 86_400_000;
const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('submit', () => {
  it('stores the whole job, sends a hint and answers 202', async () => {
    const world = submitWorld();

    const result = await world.submit(
      { agent: 'echo', input: { value: 'ü' }, metadata: { order: '17' }, tags: ['nightly'] },
      { headers: { traceparent: TRACE } },
    );

    const { jobId } = bodyOf(result) as { jobId: string };
    expect(jobId).toMatch(/^job_[0-9a-z]{26}$/);
    expect(result).toMatchObject({
      statusCode: 202,
      headers: {
        'content-type': 'application/json',
        location: `/v1/jobs/${jobId}`,
        'retry-after': '1',
        'x-request-id': 'request-1',
      },
    });
    expect(result.headers).not.toHaveProperty('idempotent-replayed');
    expect(bodyOf(result)).toEqual({
      jobId,
      agent: 'echo',
      status: 'queued',
      waitingFor: { reason: 'worker', until: '2030-01-01T12:00:30.000Z' },
      metadata: { order: '17' },
      tags: ['nightly'],
      createdAt: '2030-01-01T12:00:00.000Z',
      updatedAt: '2030-01-01T12:00:00.000Z',
      attempts: 0,
      generation: 1,
      links: {
        self: `/v1/jobs/${jobId}`,
        trace: `/v1/jobs/${jobId}/trace`,
        events: `/v1/jobs/${jobId}/events`,
      },
    });
    expect(await world.jobs.getJob(jobId)).toEqual({
      jobId,
      tenantId: 'acme',
      agent: 'echo',
      status: 'queued',
      generation: 1,
      epoch: 0,
      wakeups: 0,
      crashes: 0,
      dueAt: NOON + 30_000,
      deadlineAt: NOON + 30 * DAY_MS,
      createdAt: NOON,
      updatedAt: NOON,
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      input: { kind: 'inline', json: '{"value":"ü"}' },
      metadata: { order: '17' },
      tags: ['nightly'],
      traceparent: TRACE,
      expiresAtSeconds: (NOON + 120 * DAY_MS) / 1000,
    });
    expect(world.queue.messages.map(({ hint }) => hint)).toEqual([
      { v: 1, jobId, tenantId: 'acme', agent: 'echo', reason: 'submitted', traceparent: TRACE },
    ]);
    expect(world.telemetry.lines).toMatchObject([
      { fields: { requestId: 'request-1', tenantId: 'acme', jobId, agent: 'echo', status: 202 } },
    ]);
    expect(world.telemetry.counts).toEqual([{ metric: 'JobsSubmitted', agent: 'echo' }]);
  });

  it.each([
    { name: 'in the job item', bytes: 512, kind: 'inline' },
    { name: 'in an item of its own', bytes: 513, kind: 'item' },
    { name: 'in an item of its own at the limit', bytes: 8 * 1024, kind: 'item' },
    { name: 'in the bucket', bytes: 8 * 1024 + 1, kind: 's3' },
  ])('keeps an input of $bytes bytes $name', async ({ bytes, kind }) => {
    const world = submitWorld();
    const value = 'x'.repeat(bytes - '{"value":""}'.length);

    const result = await world.submit({ agent: 'echo', input: { value } });

    const job = await world.jobs.getJob(bodyOf(result).jobId as string);
    expect(job?.input.kind).toBe(kind);
    if (job?.input.kind === 'item') {
      expect(await world.jobs.getInput(job)).toBe(JSON.stringify({ value }));
    }
  });

  it('lets metadata and tags take their part of the room in the job item', async () => {
    const world = submitWorld();

    const result = await world.submit({
      agent: 'echo',
      input: { value: 'x'.repeat(300) },
      metadata: { note: 'y'.repeat(250) },
    });

    expect((await world.jobs.getJob(bodyOf(result).jobId as string))?.input.kind).toBe('item');
  });

  it('keeps what the caller sent, not what the schema made of it', async () => {
    const world = submitWorld();

    const result = await world.submit({ agent: 'five-steps', input: {} });

    const job = await world.jobs.getJob(bodyOf(result).jobId as string);
    expect(job?.input).toEqual({ kind: 'inline', json: '{}' });
  });

  it('accepts the job although the queue refuses the hint', async () => {
    const world = submitWorld({ queue: { send: () => Promise.reject(new Error('down')) } });

    const result = await world.submit({ agent: 'echo', input: { value: 1 } });

    expect(result.statusCode).toBe(202);
    expect(await world.jobs.getJob(bodyOf(result).jobId as string)).toMatchObject({
      status: 'queued',
      dueAt: NOON + 30_000,
    });
    expect(world.telemetry.counts).toContainEqual({ metric: 'EnqueueFailed', agent: undefined });
  });

  it('accepts the job although the queue does not answer', async () => {
    const clock = new VirtualClock(NOON);
    const silent = {
      send: () => new Promise<void>(() => undefined),
      backlog: () => Promise.resolve(0),
      laneOf: () => DEFAULT_LANE,
    };
    const world = submitWorld({ queue: impatientQueue(silent, clock), clock });

    const answer = world.submit({ agent: 'echo', input: { value: 1 } });
    await turns();

    expect(clock.fireNext(NOON + 3_000)).toBe(true);
    expect((await answer).statusCode).toBe(202);
    expect(world.telemetry.counts).toContainEqual({ metric: 'EnqueueFailed', agent: undefined });
  });

  it('counts by names that the dashboard knows', async () => {
    const world = submitWorld({ queue: { send: () => Promise.reject(new Error('down')) } });

    await world.submit({ agent: 'echo', input: { value: 1 } });

    const known: readonly string[] = Object.values(METRICS.names);
    world.telemetry.counts.forEach(({ metric }) => {
      expect(known).toContain(metric);
    });
  });

  it('answers 500 without a word of the fault when the store fails, and logs it', async () => {
    const world = submitWorld({
      jobs: { createJob: () => Promise.reject(new Error('secret table name')) },
    });

    const result = await world.submit({ agent: 'echo', input: { value: 1 } });

    expect(bodyOf(result)).toMatchObject({ status: 500, code: 'internal_error' });
    expect(result.body).not.toContain('secret');
    expect(world.telemetry.lines).toMatchObject([
      { level: 'error', fields: { requestId: 'request-1' } },
      { level: 'info', fields: { requestId: 'request-1', status: 500, code: 'internal_error' } },
    ]);
  });

  it('answers 503 with Retry-After when the store is throttled', async () => {
    const throttled = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
    const wrapped = new Error('failed to save', { cause: throttled });
    const world = submitWorld({ jobs: { createJob: () => Promise.reject(wrapped) } });

    const result = await world.submit({ agent: 'echo', input: { value: 1 } });

    expect(result).toMatchObject({ statusCode: 503, headers: { 'retry-after': '2' } });
  });

  it('checks scope, body, shape, key, agent and input in this order', async () => {
    const world = submitWorld();
    const bad = { headers: { 'idempotency-key': '' } };
    const reader = { tenantId: 'acme', scopes: 'jobs:read' };
    const codeOf = async (body: unknown, parts = {}) =>
      bodyOf(await world.submit(body, { ...bad, ...parts })).code;

    expect(await codeOf('{', { caller: null })).toBe('unauthorized');
    expect(await codeOf('{', { caller: reader })).toBe('insufficient_scope');
    expect(await codeOf('{')).toBe('malformed_json');
    expect(await codeOf({ agent: 'nobody' })).toBe('invalid_request');
    expect(await codeOf({ agent: 'nobody', input: {} })).toBe('invalid_idempotency_key');
    expect(await codeOf({ agent: 'nobody', input: {} }, { headers: {} })).toBe('unknown_agent');
    expect(await codeOf({ agent: 'order', input: {} }, { headers: {} })).toBe('invalid_input');
    expect(world.queue.messages).toEqual([]);
  });

  it.each([
    { name: 'an array', body: [], pointers: [''] },
    { name: 'null', body: null, pointers: [''] },
    { name: 'no agent and no input', body: {}, pointers: ['/agent', '/input'] },
    { name: 'an agent that is no text', body: { agent: 1, input: 1 }, pointers: ['/agent'] },
    {
      name: 'unknown fields',
      body: { agent: 'echo', input: {}, 'pri/ority': 1, tag: 2 },
      pointers: ['/pri~1ority', '/tag'],
    },
    {
      name: 'metadata that is no text',
      body: { agent: 'echo', input: { value: 1 }, metadata: { a: 1 } },
      pointers: ['/metadata/a'],
    },
    {
      name: 'too many metadata entries',
      body: { agent: 'echo', input: { value: 1 }, metadata: manyEntries(17) },
      pointers: ['/metadata'],
    },
    {
      name: 'metadata beyond 512 bytes',
      body: {
        agent: 'echo',
        input: { value: 1 },
        metadata: { a: 'x'.repeat(256), b: 'x'.repeat(256) },
      },
      pointers: ['/metadata'],
    },
    {
      name: 'a tag with a space',
      body: { agent: 'echo', input: {}, tags: ['ok', 'not ok'] },
      pointers: ['/tags/1'],
    },
  ])('refuses $name with a pointer per fault', async ({ body, pointers }) => {
    const result = await submitWorld().submit(JSON.stringify(body));

    const problem = bodyOf(result) as { errors: { pointer: string }[] };
    expect(problem).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(problem.errors.map(({ pointer }) => pointer)).toEqual(pointers);
  });

  it('lists the first hundred faults of an input and says how many there are', async () => {
    const lines = Array.from({ length: 200 }, () => ({ article: 1, count: 0 }));

    const result = await submitWorld().submit({
      agent: 'order',
      input: { customer: { name: 'a' }, lines },
    });

    const problem = bodyOf(result) as { detail: string; errors: unknown[] };
    expect(problem.errors).toHaveLength(100);
    expect(problem.errors[0]).toMatchObject({ pointer: '/input/lines/0/article' });
    expect(problem.detail).toContain('400 faults');
  });

  it('never logs what was submitted', async () => {
    const world = submitWorld();

    await world.submit({ agent: 'echo', input: { value: 'confidential' } });
    await world.submit('{"agent": "echo", confidential');

    expect(JSON.stringify(world.telemetry.lines)).not.toContain('confidential');
  });
});

function manyEntries(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));
}
