import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Delivery } from '../../../src/core/notify/delivery.ts';
import type { WebhookAnswer } from '../../../src/core/ports/webhook-sender.ts';
import { NOON } from '../../support/builders.ts';
import { DeliveryWorld } from '../../support/delivery-world.ts';

const HOUR = 3_600_000;
const answered = (status: number, more: object = {}): WebhookAnswer => ({
  kind: 'answered',
  status,
  ...more,
});

describe('a delivery', () => {
  let world: DeliveryWorld;

  beforeEach(() => {
    world = new DeliveryWorld();
  });

  it('is sent once, under its id, and leaves the due index', async () => {
    await world.given();
    await world.hint();
    await world.hint();

    expect(world.sent).toEqual([
      {
        url: 'https://example.com/hook',
        id: 'msg_1',
        at: NOON,
        body: '{"type":"job.succeeded"}',
        secrets: ['whsec_c2VjcmV0'],
      },
    ]);
    const { nextTryAt: _next, dueAt: _due, ...rest } = await world.delivery();
    expect(rest).toMatchObject({
      status: 'delivered',
      tries: [{ at: NOON, status: 200, durationMs: 0 }],
    });
    expect(await world.jobs.listDue(NOON + HOUR, 10)).toEqual([]);
  });

  it.each([200, 201, 202, 204, 299])('is delivered by %i', async (status) => {
    await world.given();
    world.answer = () => answered(status);
    await world.hint();
    expect((await world.delivery()).status).toBe('delivered');
  });

  it.each<[string, WebhookAnswer]>([
    ['a redirect', answered(301)],
    ['a temporary redirect', answered(307)],
    ['a refusal', answered(401)],
    ['too many requests', answered(429)],
    ['a failure', answered(500)],
    ['an informational answer', answered(199)],
    ['no answer', { kind: 'failed', error: 'ECONNREFUSED' }],
  ])('is tried again after %s, by a delayed message', async (_what, answer) => {
    await world.given();
    world.answer = () => answer;
    await world.hint();

    expect(await world.delivery()).toMatchObject({
      status: 'pending',
      failedTries: 1,
      nextTryAt: NOON + 2_500,
      dueAt: NOON + 32_500,
    });
    expect(world.notifications.messages).toEqual([
      { hint: expect.objectContaining({ deliveryId: 'msg_1' }), readyAt: NOON + 3_000 },
    ]);
  });

  it('stops at 410, and says so', async () => {
    await world.given();
    world.answer = () => answered(410);
    await world.hint();

    expect(await world.delivery()).toMatchObject({ status: 'stopped', failedTries: 1 });
    expect(await world.jobs.listDue(NOON + 100 * HOUR, 10)).toEqual([]);
    expect(world.notifications.messages).toEqual([]);
    expect(world.undelivered.letters).toEqual([]);
  });

  it('waits as long as the receiver asks for, beyond a quarter of an hour by the sweeper', async () => {
    await world.given();
    world.answer = () => answered(503, { retryAfterMs: 2 * HOUR });
    await world.hint();

    expect(await world.delivery()).toMatchObject({
      nextTryAt: NOON + 2 * HOUR,
      dueAt: NOON + 2 * HOUR,
    });
    expect(world.notifications.messages).toEqual([]);
    expect(await world.jobs.listDue(NOON + 2 * HOUR, 10)).toHaveLength(1);
  });

  it('is not tried by a hint that comes early', async () => {
    await world.given({ nextTryAt: NOON + 60_000 });
    await world.hint();
    expect(world.sent).toEqual([]);
  });

  it('is given up after three days: failed, with a letter and a metric', async () => {
    await world.given();
    world.answer = () => answered(500);
    let current: Delivery = await world.delivery();
    for (let tries = 0; current.status === 'pending' && tries < 100; tries++) {
      world.clock.time = current.nextTryAt ?? NOON;
      await world.hint();
      current = await world.delivery();
    }

    expect(current).toMatchObject({ status: 'failed' });
    expect(current.failedTries).toBeGreaterThan(18);
    expect(current.tries).toHaveLength(current.failedTries);
    expect(world.clock.time - NOON).toBeGreaterThan(64 * HOUR);
    expect(world.clock.time - NOON).toBeLessThanOrEqual(72 * HOUR);
    expect(world.undelivered.letters).toEqual([
      expect.objectContaining({
        deliveryId: 'msg_1',
        receiver: 'https://example.com',
        failedTries: current.failedTries,
        lastStatus: 500,
      }),
    ]);
    expect(await world.jobs.listDue(NOON + 1_000 * HOUR, 10)).toEqual([]);
  });

  it('keeps others away while it is tried', async () => {
    await world.given();
    world.answer = async () => {
      await world.hint();
      return answered(200);
    };
    await world.hint();
    expect(world.sent).toHaveLength(1);
  });

  it('of a notifier that dies in the middle of a try is tried again, under the same id', async () => {
    await world.given();
    world.answer = () => {
      throw new Error('the environment is gone');
    };
    await expect(world.hint()).rejects.toThrow('gone');
    world.answer = () => answered(200);

    await world.hint();
    expect(world.sent).toHaveLength(1);
    const { dueAt = 0 } = await world.delivery();
    expect(await world.jobs.listDue(dueAt, 10)).toHaveLength(1);
    world.clock.time = dueAt;
    await world.hint();

    expect(world.sent.map(({ id }) => id)).toEqual(['msg_1', 'msg_1']);
    expect((await world.delivery()).status).toBe('delivered');
  });

  it('leaves to somebody else what was sent again by hand meanwhile', async () => {
    await world.given();
    world.answer = async () => {
      const seen = await world.delivery();
      await world.jobs.replaceDelivery({ ...seen, nextTryAt: NOON + 1, failedTries: 0 }, seen);
      return answered(500);
    };
    await world.hint();

    expect(await world.delivery()).toMatchObject({ failedTries: 0, nextTryAt: NOON + 1 });
  });

  it('tells logs nothing of its URL but the origin', async () => {
    await world.given({ url: 'https://example.com:8443/hook/s3cret?token=s3cret' });
    for (const answer of [answered(500), answered(410)]) {
      world.answer = () => answer;
      world.clock.time += 10_000;
      await world.hint();
    }
    const logged = JSON.stringify(world.telemetry);
    expect(logged).toContain('https://example.com:8443');
    expect(logged).not.toContain('s3cret');
    expect(logged).not.toContain('whsec');
  });
});
