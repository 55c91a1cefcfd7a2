import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { PAGE_ORIGIN, startTarget, type Target } from '../support/target.ts';

jest.setTimeout(180_000);

const PREFLIGHT = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization, idempotency-key',
};

describe('web pages of other origins', () => {
  let target: Target;

  beforeAll(async () => {
    target = await startTarget();
  });

  afterAll(async () => {
    await target.stop();
  });

  const send = (path: string, headers: Record<string, string>, init: RequestInit = {}) =>
    fetch(`${target.apiUrl}${path}`, { ...init, headers });

  const withKey = (origin: string) => ({ authorization: `Bearer ${target.keys.acme}`, origin });

  it('learn without a key that an allowed one may send a job', async () => {
    const headers = { ...PREFLIGHT, origin: PAGE_ORIGIN };
    const answer = await send('/jobs', headers, { method: 'OPTIONS' });

    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(PAGE_ORIGIN);
    expect(answer.headers.get('access-control-allow-methods')).toContain('POST');
    expect(answer.headers.get('access-control-allow-headers')).toContain('idempotency-key');
  });

  it('are not told so where they are not allowed', async () => {
    const headers = { ...PREFLIGHT, origin: 'https://elsewhere.example' };
    const answer = await send('/jobs', headers, { method: 'OPTIONS' });

    expect(answer.status).toBe(405);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('read the answer to a submit and where its job is', async () => {
    const body = JSON.stringify({ agent: 'echo', input: { value: 1 } });
    const answer = await send('/jobs', withKey(PAGE_ORIGIN), { method: 'POST', body });

    expect(answer.status).toBe(202);
    expect(answer.headers.get('access-control-allow-origin')).toBe(PAGE_ORIGIN);
    expect(answer.headers.get('access-control-expose-headers')).toContain('location');
    expect(answer.headers.get('vary')).toMatch(/origin/i);
  });

  it('may keep schedules', async () => {
    const path = '/schedules/of-a-page';
    const asked = { ...PREFLIGHT, 'access-control-request-method': 'PUT', origin: PAGE_ORIGIN };
    const preflight = await send(path, asked, { method: 'OPTIONS' });
    const answer = await send(path, withKey(PAGE_ORIGIN));

    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT');
    expect(answer.status).toBe(404);
    expect(answer.headers.get('access-control-allow-origin')).toBe(PAGE_ORIGIN);
  });

  it('read refusals of the handlers, and those of API Gateway', async () => {
    const unknown = await send('/jobs/job_00000000000000000000000000', withKey(PAGE_ORIGIN));
    const keyless = await send('/jobs', { origin: PAGE_ORIGIN });

    expect(unknown.status).toBe(404);
    expect(unknown.headers.get('access-control-allow-origin')).toBe(PAGE_ORIGIN);
    expect(keyless.status).toBe(401);
    expect(keyless.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('read nothing where they are not allowed', async () => {
    const answer = await send('/jobs', withKey('https://elsewhere.example'));

    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});
