import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type OperationId, type Route, ROUTES, type Scope } from '../../src/protocol/routes.ts';
import {
  ApiClient,
  type ApiRequest,
  type ApiResponse,
  jobOf,
  problemOf,
} from '../support/api-client.ts';
import {
  describeLocal,
  isLocal,
  type LocalTarget,
  startTarget,
  type Target,
} from '../support/target.ts';
import { AUDIENCE, startTokenIssuer, type TokenIssuer } from '../support/token-issuer.ts';

jest.setTimeout(180_000);

/** Every route that needs a key: a new one is tested as soon as it is in the table. */
const GUARDED = (ROUTES as readonly Route[]).filter(({ scope }) => scope !== undefined);
/** The emulator answers 503 to every streamed integration that the authorizer lets pass. */
const ANSWERED = GUARDED.filter(({ servedBy }) => isLocal || servedBy !== 'events');
const OF_A_JOB = ANSWERED.filter(({ path }) => path.includes('{jobId}'));

/** What a route must be sent to come as far as the job, where an empty object does not do. */
const BODIES: Partial<Record<OperationId, unknown>> = {
  forkJob: { fromStep: 'whisper' },
  signalJob: { text: 'from another tenant' },
};

/** Ids of another tenant where a route takes them in its body. */
const bodiesWith = (jobId: string): Record<string, unknown> => ({
  submitJob: { agent: 'echo', input: { value: jobId } },
  submitBatch: { jobs: [{ agent: 'echo', input: { value: 1 } }] },
  createUpload: { sizeBytes: 1, sha256: '0'.repeat(64) },
  redriveDeadLetters: { jobIds: [jobId] },
});

const NEVER = `job_${'0'.repeat(26)}`;
/** Is in everything that the other tenant puts into its jobs. */
const MARK = `mark${randomBytes(8).toString('hex')}`;

let issuer: TokenIssuer | undefined;
let target: Target;
let api: ApiClient;

beforeAll(async () => {
  if (isLocal) issuer = await startTokenIssuer();
  target = await startTarget(
    issuer && [`longhaul:jwt.issuer=${issuer.url}`, `longhaul:jwt.audience=${AUDIENCE}`],
  );
  api = new ApiClient(target);
});

afterAll(async () => {
  await target.stop();
  await issuer?.stop();
});

/** Asks a route for a job, with a body that is good. */
function ask(route: Route, jobId: string, request: ApiRequest = {}): Promise<ApiResponse> {
  const { method, operationId } = route;
  const path = route.path.replace('{jobId}', jobId).replaceAll(/\{\w+\}/g, 'go');
  const bodies: Record<string, unknown> = { ...bodiesWith(jobId), ...BODIES };
  return api.send(path, {
    method,
    ...(method === 'GET' || method === 'DELETE' ? {} : { body: bodies[operationId] ?? {} }),
    ...request,
  });
}

describe('each route', () => {
  it.each(GUARDED)('$method $path answers 401 without a key', async (route) => {
    expect(problemOf(await ask(route, NEVER, { key: null }))).toMatchObject({
      status: 401,
      code: 'unauthorized',
    });
  });

  it.each(ANSWERED)('$method $path answers 403 to a key without its scope', async (route) => {
    const lacking: Record<Scope, string | undefined> = {
      'jobs:read': target.keys.writeonly,
      'jobs:write': target.keys.readonly,
      ops: target.keys.acme,
    };
    const key = lacking[route.scope as Scope];
    if (key === undefined) throw new Error(`LONGHAUL_KEYS has none without ${route.scope ?? ''}`);

    const problem = problemOf(await ask(route, NEVER, { key }));

    expect(problem).toMatchObject({ status: 403, code: 'insufficient_scope' });
    expect(problem.detail).toContain(route.scope);
  });
});

describe('jobs of another tenant', () => {
  let theirs: string[];
  const asGlobex = (): ApiRequest => ({ key: target.keys.globex });

  /** A job of the other tenant, with the mark wherever it can be. */
  async function plant(then: string): Promise<string> {
    const body = {
      agent: 'whisper',
      input: { secret: `${MARK}-input`, then },
      metadata: { note: `${MARK}-metadata` },
      tags: [`${MARK}-tag`],
    };
    return jobOf(await api.post(body, asGlobex()), 202).jobId;
  }

  async function ended(jobId: string, statuses: readonly string[]): Promise<void> {
    for (let tries = 0; tries < 600; tries++) {
      if (statuses.includes((await api.job(jobId, asGlobex())).status)) return;
      await delay(100);
    }
    throw new Error(`${jobId} did not become ${statuses.join(' or ')}`);
  }

  beforeAll(async () => {
    theirs = await Promise.all(['succeed', 'fail', 'wait', 'spawn'].map(plant));
    const [succeeded = '', failed = '', waiting = '', parent = ''] = theirs;
    await ended(succeeded, ['succeeded']);
    await ended(failed, ['failed']);
    await ended(waiting, ['waiting']);
    await ended(parent, ['succeeded']);
    const signal = { text: `${MARK}-signal` };
    const sent = await api.command(waiting, 'signals/go', signal, asGlobex());
    expect(sent.status).toBe(202);
    await ended(waiting, ['succeeded']);
    const trace = (await api.send(`/jobs/${parent}/trace`, asGlobex())).text;
    // With the sub-job, whose id only the trace of its parent tells.
    theirs = [...new Set([...theirs, ...(trace.match(/job_[0-9a-z]{26}/g) ?? [])])];
  });

  it('are marked all over for their own tenant, or this test would show nothing', async () => {
    for (const jobId of theirs) {
      const answers = await Promise.all(
        [`/jobs/${jobId}`, `/jobs/${jobId}/trace`].map((path) => api.send(path, asGlobex())),
      );
      expect(answers.map(({ text }) => text.includes(MARK))).toEqual([true, true]);
    }
    expect(theirs).toHaveLength(5);
  });

  it.each(OF_A_JOB)('are not there for $method $path', async (route) => {
    const { keys } = target;
    const key = route.scope === 'ops' ? keys.ops : keys.acme;
    for (const jobId of theirs) {
      const foreign = problemOf(await ask(route, jobId, { key }));
      const absent = problemOf(await ask(route, NEVER, { key }));

      expect(foreign).toMatchObject({ status: 404, code: 'not_found' });
      expect({ ...foreign, requestId: '', detail: foreign.detail.replace(jobId, NEVER) }).toEqual({
        ...absent,
        requestId: '',
      });
    }
  });

  it('are in no answer to any route, neither their contents nor their ids', async () => {
    for (const route of GUARDED) {
      const key = route.scope === 'ops' ? target.keys.ops : target.keys.acme;
      const { status, text, headers } = await ask(route, NEVER, { key });
      const answer = text + JSON.stringify(headers);

      expect({ route: route.path, status }).not.toMatchObject({ status: 500 });
      expect(answer).not.toContain(MARK);
      for (const jobId of theirs) expect(answer).not.toContain(jobId);
    }
  });

  it('cannot be redriven, neither by their ids nor with all', async () => {
    const redrive = (body: object) =>
      api.send('/dead-letters/redrive', { method: 'POST', body, key: target.keys.ops });

    const { outcomes } = JSON.parse((await redrive({ jobIds: theirs })).text) as {
      outcomes: { outcome: string }[];
    };
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(theirs.map(() => 'not_found'));

    const all = await redrive({ all: true });
    expect(all.status).toBe(200);
    for (const jobId of theirs) expect(all.text).not.toContain(jobId);
  });

  it('are as they were after all of that', async () => {
    const [succeeded = '', failed = ''] = theirs;
    expect(await api.job(succeeded, asGlobex())).toMatchObject({
      status: 'succeeded',
      generation: 1,
    });
    expect(await api.job(failed, asGlobex())).toMatchObject({ status: 'failed', generation: 1 });
  });

  it('do not meet under the same idempotency key', async () => {
    const headers = { 'idempotency-key': `${MARK}-key` };
    const input = { value: 'same' };
    const ours = await api.submit('echo', input, { headers });
    const other = await api.submit('echo', input, { headers, ...asGlobex() });
    expect(other).not.toBe(ours);
  });
});

describeLocal(
  'settings, tokens and usage',
  'only here can a test write settings and be an issuer',
  () => {
    const local = (): LocalTarget => target as LocalTarget;
    const READ_WRITE = ['jobs:read', 'jobs:write'];

    /** A tenant that no other test uses, with a key. */
    const tenant = (tenantId: string): Promise<string> =>
      local().createKey({ tenantId, scopes: READ_WRITE });

    /** The first answer with this status; asked again and again. */
    async function until(status: number, ask: () => Promise<ApiResponse>): Promise<ApiResponse> {
      for (let tries = 0; tries < 300; tries++) {
        const answer = await ask();
        if (answer.status === status) return answer;
        await delay(100);
      }
      throw new Error(`no answer was ${status}`);
    }

    it('keep a tenant to its agents', async () => {
      await local().tenants.update('narrow', { allowedAgents: ['echo'] }, Date.now());
      const key = await tenant('narrow');

      await api.submit('echo', { value: 1 }, { key });
      const problem = problemOf(await api.post({ agent: 'five-steps', input: {} }, { key }));

      expect(problem).toMatchObject({
        status: 403,
        code: 'agent_not_allowed',
        knownAgents: ['echo'],
      });
    });

    it('bound the jobs of a tenant', async () => {
      await local().tenants.update('small', { limits: { maxSteps: 3 } }, Date.now());
      const key = await tenant('small');
      const submit = (limits?: object) =>
        api.post({ agent: 'five-steps', input: {}, ...(limits && { limits }) }, { key });

      expect(problemOf(await submit({ maxSteps: 4 }))).toMatchObject({
        status: 422,
        code: 'invalid_limits',
        errors: [{ pointer: '/limits/maxSteps' }],
      });
      const { jobId } = jobOf(await submit(), 202);
      const show = () => api.send(`/jobs/${jobId}`, { key });
      for (let tries = 0; jobOf(await show(), 200).status !== 'failed' && tries < 300; tries++) {
        await delay(100);
      }
      expect(jobOf(await show(), 200).error).toMatchObject({ code: 'steps_exceeded' });
    });

    it('keep a tenant to its rate, and let it pass when it comes again as told', async () => {
      await local().tenants.update('busy', { requestsPerSecond: 1 }, Date.now());
      const key = await tenant('busy');

      const refused = await until(429, () => api.send('/usage', { key }));

      expect(problemOf(refused)).toMatchObject({ code: 'throttled' });
      const retryAfter = Number(refused.headers['retry-after']);
      expect(retryAfter).toBeGreaterThanOrEqual(1);
      expect(retryAfter).toBeLessThanOrEqual(10);
      expect((await api.send('/usage', { key: target.keys.acme })).status).toBe(200);
      await delay(retryAfter * 1_000);
      expect((await api.send('/usage', { key })).status).toBe(200);
    });

    it('count what the jobs of a tenant came to', async () => {
      const key = await tenant('counted');
      await Promise.all([1, 2, 3].map(() => api.submit('five-steps', {}, { key })));
      await api.submit('failing', { terminal: true }, { key });

      const wanted = { jobs: { succeeded: 3, failed: 1, cancelled: 0 }, steps: 16 };
      let usage: unknown;
      for (let tries = 0; tries < 300; tries++) {
        usage = JSON.parse((await api.send('/usage', { key })).text);
        if (JSON.stringify(usage).includes(JSON.stringify(wanted).slice(1, -1))) break;
        await delay(100);
      }

      expect(usage).toMatchObject(wanted);
    });

    it('know when a key was last used', async () => {
      const key = await tenant('used');
      const before = Date.now();

      await api.send('/usage', { key });

      const [stored] = (await local().apiKeys.list()).filter(({ tenantId }) => tenantId === 'used');
      expect(stored?.lastUsedAt).toBeGreaterThanOrEqual(before);
    });

    it('end a key at its time, though API Gateway keeps the verdict', async () => {
      const key = await local().createKey({ tenantId: 'ending', expiresAt: Date.now() + 4_000 });

      expect((await api.send('/usage', { key })).status).toBe(200);

      expect(problemOf(await until(401, () => api.send('/usage', { key })))).toMatchObject({
        code: 'unauthorized',
      });
    });

    describe('tokens of an issuer', () => {
      const issued = (): TokenIssuer => issuer as TokenIssuer;

      it('are neither good nor bad while its keys cannot be had', async () => {
        issued().failWith = 503;
        const key = await issued().token();

        const answer = await api.send('/usage', { key });
        issued().failWith = undefined;

        expect(problemOf(answer)).toMatchObject({ status: 503, code: 'unavailable' });
        expect(answer.headers['retry-after']).toBe('2');
        expect((await until(200, () => api.send('/usage', { key }))).status).toBe(200);
      });

      it('open what keys of the same tenant open, and nothing else', async () => {
        const jobId = await api.submit('echo', { value: 1 });
        const key = await issued().token();
        const foreign = await issued().token({ claims: { tenant: 'globex' } });
        const reading = await issued().token({ claims: { scope: 'openid jobs:read' } });

        expect((await api.job(jobId, { key })).jobId).toBe(jobId);
        expect((await api.send(`/jobs/${jobId}`, { key: foreign })).status).toBe(404);
        expect((await api.job(jobId, { key: reading })).jobId).toBe(jobId);
        expect((await api.command(jobId, 'cancel', undefined, { key: reading })).status).toBe(403);
        await api.submit('echo', { value: 2 }, { key });
      });

      it.each([
        { name: 'expired ones', claims: { exp: 1_000_000_000 } },
        { name: 'those for others', claims: { aud: 'another' } },
        { name: 'those of nobody', claims: { tenant: 'No Tenant' } },
      ])('do not open anything: $name', async ({ claims }) => {
        const key = await issued().token({ claims });
        expect(problemOf(await api.send('/usage', { key }))).toMatchObject({ status: 401 });
      });

      it('end at their time, though API Gateway keeps the verdict', async () => {
        // 30 s are the tolerance for clocks: four seconds are left.
        const key = await issued().token({ claims: { exp: Math.floor(Date.now() / 1_000) - 26 } });

        expect((await api.send('/usage', { key })).status).toBe(200);

        expect((await until(401, () => api.send('/usage', { key }))).status).toBe(401);
      });
    });
  },
);
