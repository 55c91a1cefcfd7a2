import type { APIGatewayProxyResult } from 'aws-lambda';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { cursorSeal } from '../../../lambdas/http/cursor-seal.ts';
import { httpHandler } from '../../../lambdas/http/http-handler.ts';
import { listRoute } from '../../../lambdas/http/list-route.ts';
import { memoryJobStore } from '../../../src/adapters/memory/job-store.ts';
import { memorySecretStore } from '../../../src/adapters/memory/secret-store.ts';
import type { Job } from '../../../src/core/job/job.ts';
import type { JobListQuery, JobStore } from '../../../src/core/ports/job-store.ts';
import { jobListSchema } from '../../../src/protocol/job-list.ts';
import { aJob, NOON } from '../../support/builders.ts';
import { anEvent, bodyOf, LAMBDA_CONTEXT, recordingTelemetry } from '../../support/http.ts';

const GLOBEX = { tenantId: 'globex', scopes: 'jobs:read' };
const idOf = (index: number) => `job_${String(index).padStart(26, '0')}`;

describe('GET /jobs', () => {
  let jobs: JobStore;
  let looked: JobListQuery[];
  let handler: ReturnType<typeof httpHandler>;

  beforeEach(() => {
    jobs = memoryJobStore({ now: () => NOON });
    looked = [];
    const watched: Pick<JobStore, 'listJobs'> = {
      listJobs: (query) => {
        looked.push(query);
        return jobs.listJobs(query);
      },
    };
    const cursors = cursorSeal(memorySecretStore());
    handler = httpHandler(recordingTelemetry(), listRoute({ jobs: watched, cursors }));
  });

  const get = (query: Record<string, string> = {}, parts: Parameters<typeof anEvent>[0] = {}) =>
    handler(anEvent({ method: 'GET', resource: '/jobs', query, ...parts }), LAMBDA_CONTEXT);
  /** Of jobs with an index, the first the newest. */
  const given = (count: number, parts: (index: number) => Partial<Job> = () => ({})) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        jobs.createJob(aJob({ jobId: idOf(index), createdAt: NOON - index, ...parts(index) })),
      ),
    );
  const pageOf = (result: APIGatewayProxyResult) => {
    expect(result.statusCode).toBe(200);
    const { jobs: rows, next } = jobListSchema.strict().parse(bodyOf(result));
    return { rows, next, indexes: rows.map(({ jobId }) => Number(jobId.slice(4))) };
  };
  const range = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => from + index);

  it('shows twenty jobs, newest first, and where the list goes on', async () => {
    await given(45);

    const first = pageOf(await get());
    const second = pageOf(await get({ cursor: first.next ?? '' }));
    const third = pageOf(await get({ cursor: second.next ?? '' }));

    expect(first.indexes).toEqual(range(0, 20));
    expect(second.indexes).toEqual(range(20, 40));
    expect(third.indexes).toEqual(range(40, 45));
    expect(third.next).toBeUndefined();
    expect(looked.map(({ limit }) => limit)).toEqual([20, 20, 20]);
  });

  it('has no next page when the last one is full', async () => {
    await given(3);
    const page = pageOf(await get({ limit: '3' }));
    expect(page.indexes).toEqual([0, 1, 2]);
    expect(page.next).toBeUndefined();
  });

  it('is empty for a tenant without jobs, whatever others have', async () => {
    await given(3);
    expect(pageOf(await get({}, { caller: GLOBEX }))).toMatchObject({ rows: [], next: undefined });
  });

  it('shows the job without its result, with the progress it ended with', async () => {
    await given(2, (index) =>
      index === 0
        ? {}
        : {
            status: 'succeeded',
            epoch: 1,
            result: { kind: 'inline', json: '{"secret":1}' },
            totals: {
              progress: { completed: 2, total: 2 },
              progressReports: 1,
              stepsSucceeded: 1,
              stepsFailed: 0,
            },
          },
    );

    const { rows } = pageOf(await get({}, { stagePrefix: '/v1' }));

    expect(rows[1]).toMatchObject({ status: 'succeeded', progress: { completed: 2, total: 2 } });
    expect(rows[1]?.links.self).toBe(`/v1/jobs/${idOf(1)}`);
    expect(JSON.stringify(rows)).not.toContain('result');
  });

  it.each<{ query: Record<string, string>; expected: number[] }>([
    { query: { status: 'failed' }, expected: [3, 7, 11] },
    { query: { agent: 'other' }, expected: [2, 5, 8, 11] },
    { query: { tag: 'b' }, expected: [0, 5, 10] },
    { query: { status: 'failed', agent: 'other' }, expected: [11] },
    { query: { createdAfter: new Date(NOON - 3).toISOString() }, expected: [0, 1, 2] },
    { query: { createdBefore: new Date(NOON - 8).toISOString() }, expected: [9, 10, 11] },
    {
      query: {
        createdAfter: '2030-01-01T12:59:59.996+01:00',
        createdBefore: new Date(NOON).toISOString(),
      },
      expected: [1, 2, 3],
    },
    {
      query: {
        createdAfter: new Date(NOON).toISOString(),
        createdBefore: new Date(NOON).toISOString(),
      },
      expected: [],
    },
  ])('selects by $query', async ({ query, expected }) => {
    await given(12, (index) => ({
      status: index % 4 === 3 ? 'failed' : 'queued',
      agent: index % 3 === 2 ? 'other' : 'summarize',
      ...(index % 5 === 0 && { tags: ['a', 'b'] }),
    }));

    const page = pageOf(await get(query));

    expect(page.indexes).toEqual(expected);
    expect(page.next).toBeUndefined();
  });

  it('looks at a hundred jobs for a page, and says where to go on when it found none', async () => {
    await given(250, (index) => (index === 240 ? { status: 'failed' } : {}));

    const first = pageOf(await get({ status: 'failed' }));
    const second = pageOf(await get({ status: 'failed', cursor: first.next ?? '' }));
    const third = pageOf(await get({ status: 'failed', cursor: second.next ?? '' }));

    expect([first.indexes, second.indexes, third.indexes]).toEqual([[], [], [240]]);
    expect(third.next).toBeUndefined();
    expect(looked.map(({ limit }) => limit)).toEqual([100, 100, 100]);
  });

  it('shows each job that fits once when a page is full before all were looked at', async () => {
    await given(30, (index) => (index % 2 === 0 ? { status: 'failed' } : {}));
    const seen: number[] = [];
    let cursor: string | undefined;
    do {
      const query = { status: 'failed', limit: '4', ...(cursor !== undefined && { cursor }) };
      const page = pageOf(await get(query));
      seen.push(...page.indexes);
      cursor = page.next;
    } while (cursor !== undefined);
    expect(seen).toEqual(range(0, 15).map((index) => index * 2));
  });

  it('takes a cursor with another limit, but not with other filters nor from another tenant', async () => {
    await given(10);
    const { next: cursor = '' } = pageOf(await get({ limit: '3' }));

    expect(pageOf(await get({ limit: '2', cursor })).indexes).toEqual([3, 4]);
    for (const result of [
      await get({ cursor, status: 'queued' }),
      await get({ cursor }, { caller: GLOBEX }),
      await get({ cursor: `${cursor}x` }),
    ]) {
      expect(bodyOf(result)).toMatchObject({ status: 400, code: 'invalid_cursor' });
    }
  });

  it.each<{ query: Record<string, string>; parameter: string; message: RegExp }>([
    { query: { limit: '0' }, parameter: 'limit', message: /1/ },
    { query: { limit: '101' }, parameter: 'limit', message: /100/ },
    { query: { limit: 'many' }, parameter: 'limit', message: /whole number from 1 to 100/ },
    { query: { limit: '' }, parameter: 'limit', message: /1/ },
    { query: { limit: '0x5' }, parameter: 'limit', message: /whole number from 1 to 100/ },
    { query: { limit: '5e0' }, parameter: 'limit', message: /whole number from 1 to 100/ },
    { query: { limit: ' 5' }, parameter: 'limit', message: /whole number from 1 to 100/ },
    { query: { status: 'done' }, parameter: 'status', message: /queued/ },
    { query: { tag: 'a b' }, parameter: 'tag', message: /A-Z/ },
    { query: { agent: '' }, parameter: 'agent', message: /1/ },
    { query: { createdAfter: 'yesterday' }, parameter: 'createdAfter', message: /2030-01-31T/ },
    { query: { createdBefore: '2030-01-31' }, parameter: 'createdBefore', message: /2030-01-31T/ },
    { query: { stauts: 'failed' }, parameter: 'stauts', message: /known are status, agent/ },
  ])('refuses $query and names the parameter', async ({ query, parameter, message }) => {
    expect(bodyOf(await get(query))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      errors: [{ parameter, message: expect.stringMatching(message) }],
    });
  });

  it('refuses a parameter that is sent twice', async () => {
    const event = anEvent({ method: 'GET', query: { status: 'failed' } });
    const twice = { ...event, multiValueQueryStringParameters: { status: ['failed', 'queued'] } };
    expect(bodyOf(await handler(twice, LAMBDA_CONTEXT))).toMatchObject({
      code: 'invalid_request',
      errors: [{ parameter: 'status', message: 'sent 2 times: send it once' }],
    });
  });

  it('needs the scope jobs:read', async () => {
    const caller = { tenantId: 'acme', scopes: 'jobs:write' };
    expect(bodyOf(await get({}, { caller }))).toMatchObject({ code: 'insufficient_scope' });
  });
});
