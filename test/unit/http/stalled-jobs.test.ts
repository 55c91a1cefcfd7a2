import { beforeEach, describe, expect, it } from '@jest/globals';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { cursorSeal } from '../../../lambdas/http/cursor-seal.ts';
import { httpHandler, type HttpHandler } from '../../../lambdas/http/http-handler.ts';
import { router } from '../../../lambdas/http/router.ts';
import { stalledJobsRoute } from '../../../lambdas/http/stalled-jobs-route.ts';
import { memoryJobStore } from '../../../src/adapters/memory/job-store.ts';
import { memorySecretStore } from '../../../src/adapters/memory/secret-store.ts';
import { systemClock } from '../../../src/adapters/system/clock.ts';
import type { Job } from '../../../src/core/job/job.ts';
import type { JobStore } from '../../../src/core/ports/job-store.ts';
import { stalledJobListSchema } from '../../../src/protocol/stalled-jobs.ts';
import { aJob, NOON } from '../../support/builders.ts';
import { anEvent, bodyOf, recordingTelemetry, type RequestParts } from '../../support/http.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const OPS = { tenantId: 'acme', scopes: 'ops' };

describe('stalled jobs', () => {
  let jobs: JobStore;
  let handler: HttpHandler;

  beforeEach(() => {
    const clock = { ...systemClock, now: () => NOON };
    jobs = memoryJobStore(clock);
    const cursors = cursorSeal(memorySecretStore());
    const listStalledJobs = stalledJobsRoute({ jobs, cursors, clock });
    handler = httpHandler(recordingTelemetry(), router({ listStalledJobs }));
  });

  /** A job that was submitted two days ago and last changed then or later. */
  const given = (jobId: string, parts: Partial<Job>) => {
    const createdAt = NOON - 2 * DAY;
    return jobs.createJob(aJob({ jobId, createdAt, deadlineAt: NOON + DAY, ...parts }));
  };
  const waiting = (jobId: string, parts: Partial<Job> = {}) =>
    given(jobId, { status: 'waiting', waitingFor: 'signal', waitingOn: 'decision', ...parts });

  const get = (query: Record<string, string> = {}, parts: RequestParts = {}) =>
    handler(anEvent({ caller: OPS, method: 'GET', resource: '/stalled-jobs', query, ...parts }), {
      getRemainingTimeInMillis: () => 29_000,
    });
  const list = async (query: Record<string, string> = {}, parts: RequestParts = {}) =>
    stalledJobListSchema.strict().parse(bodyOf(await get(query, parts)));
  const idsOf = async (query: Record<string, string> = {}, parts: RequestParts = {}) =>
    (await list(query, parts)).stalledJobs.map(({ jobId }) => jobId);
  const codeOf = (result: APIGatewayProxyResult) =>
    (bodyOf(result) as { readonly code: string }).code;

  it('are shown with the reason in words, the newest first, and no others', async () => {
    await given('lost', { status: 'queued', updatedAt: NOON - HOUR });
    await waiting('asks', { updatedAt: NOON - 25 * HOUR, createdAt: NOON - 2 * DAY - 1 });
    await waiting('asks-since-an-hour', { updatedAt: NOON - HOUR });
    await given('works', { status: 'running', ownerUntil: NOON + HOUR });
    await given('done', { status: 'succeeded', finishedAt: NOON - DAY });

    expect(await list()).toEqual({
      stalledJobs: [
        {
          jobId: 'lost',
          agent: 'summarize',
          status: 'queued',
          kind: 'overdue',
          reason: 'queued since 2030-01-01T11:00:00.000Z, and no worker has taken it',
          since: '2030-01-01T11:00:00.000Z',
          createdAt: '2029-12-30T12:00:00.000Z',
          links: { job: '/v1/jobs/lost', trace: '/v1/jobs/lost/trace' },
        },
        expect.objectContaining({
          jobId: 'asks',
          kind: 'waiting',
          reason: expect.stringMatching(/^waits for the signal "decision" since 2029-12-31T11/),
          until: '2030-01-02T12:00:00.000Z',
        }),
      ],
    });
  });

  it('are those that wait longer than the caller says, of one agent, of late', async () => {
    await waiting('long', { updatedAt: NOON - 3 * HOUR });
    await waiting('longer', { updatedAt: NOON - 30 * HOUR, createdAt: NOON - 5 * DAY });
    await waiting('other', { updatedAt: NOON - 30 * HOUR, agent: 'other' });

    expect((await idsOf({ waitingLonger: '2h' })).sort()).toEqual(['long', 'longer', 'other']);
    expect(await idsOf({ waitingLonger: '2h', agent: 'summarize' })).toEqual(['long', 'longer']);
    const createdAfter = new Date(NOON - 3 * DAY).toISOString();
    expect(await idsOf({ createdAfter })).toEqual(['other']);
    expect(await idsOf({ waitingLonger: '2d' })).toEqual([]);
  });

  it('are those of the caller’s tenant, for keys with the scope ops', async () => {
    await waiting('mine', { updatedAt: 0 });

    expect(await idsOf({}, { caller: { tenantId: 'globex', scopes: 'ops' } })).toEqual([]);
    const refused = await get({}, { caller: { tenantId: 'acme', scopes: 'jobs:read' } });
    expect(refused.statusCode).toBe(403);
    expect(codeOf(refused)).toBe('insufficient_scope');
  });

  it('come page by page, though most jobs do well', async () => {
    const stalled: string[] = [];
    for (let number = 0; number < 250; number += 1) {
      const jobId = `job-${number}`;
      const createdAt = NOON - 2 * DAY - number;
      if (number % 50 !== 0) await given(jobId, { status: 'succeeded', createdAt });
      else {
        stalled.push(jobId);
        await waiting(jobId, { updatedAt: 0, createdAt });
      }
    }

    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await list({ limit: '1', ...(cursor !== undefined && { cursor }) });
      seen.push(...page.stalledJobs.map(({ jobId }) => jobId));
      cursor = page.next;
      pages += 1;
    } while (cursor !== undefined);

    expect(seen).toEqual(stalled);
    expect(pages).toBeLessThan(10);
  });

  it.each([
    { name: 'no duration', query: { waitingLonger: '1 hour' } },
    { name: 'a duration longer than any job', query: { waitingLonger: '401d' } },
    { name: 'an unknown parameter', query: { waiting: '1h' } },
  ])('are refused with 400 for $name', async ({ query }) => {
    const result = await get(query);

    expect(result.statusCode).toBe(400);
    expect(bodyOf(result)).toMatchObject({
      code: 'invalid_request',
      errors: [{ parameter: Object.keys(query)[0] }],
    });
  });

  it('go on with their own cursor only', async () => {
    await waiting('one', { updatedAt: 0 });
    await waiting('two', { updatedAt: 0, createdAt: NOON - 3 * DAY });
    const { next = '' } = await list({ limit: '1' });

    expect(await idsOf({ limit: '1', cursor: next })).toEqual(['two']);
    const other = await get({ limit: '1', cursor: next, waitingLonger: '1h' });
    expect(codeOf(other)).toBe('invalid_cursor');
  });
});
