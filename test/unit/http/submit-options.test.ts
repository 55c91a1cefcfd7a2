import { describe, expect, it } from '@jest/globals';
import { memoryRunOnce } from '../../support/command-world.ts';
import { NOON } from '../../support/builders.ts';
import { bodyOf } from '../../support/http.ts';
import { submitWorld } from '../../support/submit-world.ts';

const BODY = { agent: 'echo', input: { value: 1 } };

describe('options of a submit', () => {
  it('show in the answer, which is the same for a replay', async () => {
    const world = submitWorld({ runOnce: memoryRunOnce() });
    const options = { limits: { maxSteps: 5, maxDuration: '90m' }, delay: '600s' };
    const send = () =>
      world.submit({ ...BODY, ...options }, { headers: { 'idempotency-key': 'k' } });

    const first = await send();
    world.now += 5_000;
    const again = await send();

    expect(bodyOf(first)).toMatchObject({
      status: 'waiting',
      waitingFor: { reason: 'start', until: '2030-01-01T12:10:00.000Z' },
      startAt: '2030-01-01T12:10:00.000Z',
      limits: { maxSteps: 5, maxDuration: '90m' },
    });
    expect(again.body).toBe(first.body);
    const job = await world.jobs.getJob(String(bodyOf(first)['jobId']));
    expect(job).toMatchObject({
      limits: { maxSteps: 5, maxDurationMs: 5_400_000 },
      wakeAt: NOON + 600_000,
    });
  });

  it('are the same when they are written in another way', async () => {
    const world = submitWorld({ runOnce: memoryRunOnce() });
    const send = (options: object) =>
      world.submit({ ...BODY, ...options }, { headers: { 'idempotency-key': 'k' } });
    await send({ startAt: '2030-01-02T12:00:00Z', limits: { maxDuration: '1h' } });
    const again = await send({
      startAt: '2030-01-02T13:00:00.000+01:00',
      limits: { maxDuration: '60m' },
    });
    const other = await send({ startAt: '2030-01-02T12:00:01Z', limits: { maxDuration: '1h' } });
    expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true' });
    expect(bodyOf(other)).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
  });

  it('do not hold back the answer to a caller that waits', async () => {
    const result = await submitWorld().submit(
      { ...BODY, delay: '1h' },
      { headers: { prefer: 'wait=20' } },
    );
    expect(result.statusCode).toBe(202);
  });

  it('are bounded by the tenant, without a word where nothing was asked', async () => {
    const world = submitWorld();
    const caller = { tenantId: 'acme', scopes: 'jobs:write', maxSteps: '3' };
    expect(bodyOf(await world.submit(BODY, { caller }))).toMatchObject({ limits: { maxSteps: 3 } });
    const asked = { ...BODY, limits: { maxSteps: 4 } };
    expect(bodyOf(await world.submit(asked, { caller }))).toMatchObject({
      status: 422,
      code: 'invalid_limits',
      errors: [{ pointer: '/limits/maxSteps', message: 'is 4: the tenant allows 3 at most' }],
    });
  });

  it.each([
    { options: { limits: { maxSteps: 0 } }, pointer: '/limits/maxSteps' },
    { options: { limits: { maxSteps: 1.5 } }, pointer: '/limits/maxSteps' },
    { options: { limits: { maxDuration: 60 } }, pointer: '/limits/maxDuration' },
    { options: { limits: { maxDuration: '1 hour' } }, pointer: '/limits/maxDuration' },
    { options: { limits: { maxDuration: '401d' } }, pointer: '/limits/maxDuration' },
    { options: { limits: { steps: 1 } }, pointer: '/limits/steps' },
    { options: { delay: '99999999999d' }, pointer: '/delay' },
    { options: { delay: '-1s' }, pointer: '/delay' },
    { options: { startAt: 'tomorrow' }, pointer: '/startAt' },
    { options: { startAt: 1 }, pointer: '/startAt' },
    { options: { delay: '1s', startAt: '2030-01-02T12:00:00Z' }, pointer: '/startAt' },
  ])('are refused with 400 when they are $options', async ({ options, pointer }) => {
    expect(bodyOf(await submitWorld().submit({ ...BODY, ...options }))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      errors: [{ pointer }],
    });
  });

  it.each([
    { options: { limits: { maxSteps: 100_000 } }, pointer: '/limits/maxSteps' },
    { options: { limits: { maxDuration: '31d' } }, pointer: '/limits/maxDuration' },
    { options: { delay: '366d' }, pointer: '/delay' },
    { options: { startAt: '2031-01-02T00:00:00Z' }, pointer: '/startAt' },
  ])('are refused with 422 when they are $options', async ({ options, pointer }) => {
    expect(bodyOf(await submitWorld().submit({ ...BODY, ...options }))).toMatchObject({
      status: 422,
      code: 'invalid_limits',
      errors: [{ pointer }],
    });
  });
});
