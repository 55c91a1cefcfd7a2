import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { deliveriesSchema, deliverySchema } from '../../../src/protocol/delivery.ts';
import { aDelivery, NOON } from '../../support/builders.ts';
import { type CommandWorld, commandWorld, JOB_ID } from '../../support/command-world.ts';
import { ACME, bodyOf } from '../../support/http.ts';

const LIST = { method: 'GET' };
const RESEND = 'deliveries/{deliveryId}/resend';
const resendOf = (deliveryId: string) => ({ pathParameters: { jobId: JOB_ID, deliveryId } });

describe('deliveries of a job', () => {
  let world: CommandWorld;

  beforeEach(async () => {
    world = commandWorld();
    await world.given({ status: 'succeeded' });
  });

  const given = (parts: Parameters<typeof aDelivery>[0] = {}) =>
    world.jobs.putDelivery(aDelivery({ jobId: JOB_ID, ...parts }));

  it('are listed oldest first, with every try and no more of the job', async () => {
    await given({ deliveryId: 'msg_b', createdAt: NOON });
    const { nextTryAt: _next, dueAt: _due, ...delivered } = aDelivery({ jobId: JOB_ID });
    await world.jobs.putDelivery({
      ...delivered,
      deliveryId: 'msg_a',
      status: 'delivered',
      createdAt: NOON + 1,
      tries: [
        { at: NOON, error: 'ECONNREFUSED', durationMs: 3 },
        { at: NOON + 5_000, status: 200, durationMs: 8 },
      ],
    });

    const response = await world.send('deliveries', undefined, LIST);
    const { deliveries } = deliveriesSchema.strict().parse(bodyOf(response));

    expect(response.statusCode).toBe(200);
    expect(deliveries).toEqual([
      {
        deliveryId: 'msg_b',
        event: 'job.succeeded',
        url: 'https://example.com/hook',
        status: 'pending',
        tries: [],
        nextTryAt: '2030-01-01T12:00:00.000Z',
        createdAt: '2030-01-01T12:00:00.000Z',
      },
      {
        deliveryId: 'msg_a',
        event: 'job.succeeded',
        url: 'https://example.com/hook',
        status: 'delivered',
        tries: [
          { at: '2030-01-01T12:00:00.000Z', error: 'ECONNREFUSED', durationMs: 3 },
          { at: '2030-01-01T12:00:05.000Z', status: 200, durationMs: 8 },
        ],
        createdAt: '2030-01-01T12:00:00.001Z',
      },
    ]);
  });

  it.each(['delivered', 'failed', 'stopped'] as const)(
    'are sent again when they are %s, for as long as new ones, under the same id',
    async (status) => {
      const { nextTryAt: _next, dueAt: _due, ...settled } = aDelivery({ jobId: JOB_ID });
      await world.jobs.putDelivery({ ...settled, status, failedTries: 20 });
      world.now = NOON + 9_000_000;

      const response = await world.send(RESEND, undefined, resendOf('msg_1'));

      expect(response.statusCode).toBe(202);
      expect(deliverySchema.strict().parse(bodyOf(response))).toMatchObject({
        deliveryId: 'msg_1',
        status: 'pending',
      });
      expect(await world.jobs.getDelivery({ jobId: JOB_ID, deliveryId: 'msg_1' })).toMatchObject({
        failedTries: 0,
        triedSince: world.now,
        nextTryAt: world.now,
      });
      expect(world.notifications.messages.map(({ hint }) => hint.deliveryId)).toEqual(['msg_1']);
    },
  );

  it('that are pending are left alone: asking twice is asking once', async () => {
    await given({ nextTryAt: NOON + 60_000, failedTries: 3 });
    for (let time = 0; time < 2; time++) {
      const response = await world.send(RESEND, undefined, resendOf('msg_1'));
      expect(response.statusCode).toBe(202);
    }
    expect(world.notifications.messages).toEqual([]);
    expect(await world.jobs.getDelivery({ jobId: JOB_ID, deliveryId: 'msg_1' })).toMatchObject({
      failedTries: 3,
      nextTryAt: NOON + 60_000,
    });
  });

  it('are not there for another tenant, for an unknown job and under an unknown id', async () => {
    await given();
    const globex = { caller: { ...ACME, tenantId: 'globex' } };
    const answers = await Promise.all([
      world.send('deliveries', undefined, { ...LIST, ...globex }),
      world.send(RESEND, undefined, { ...resendOf('msg_1'), ...globex }),
      world.send('deliveries', undefined, { ...LIST, pathParameters: { jobId: 'job_x' } }),
      world.send(RESEND, undefined, resendOf('msg_2')),
    ]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404]);
    expect(world.notifications.messages).toEqual([]);
  });

  it('are not looked up under what is no id of one: DynamoDB fails for keys above 1,024 bytes', async () => {
    const lookedUp = jest.spyOn(world.jobs, 'getDelivery');
    const ids = [`msg_${'x'.repeat(2_000)}`, '', 'ep_1', 'msg_A', 'msg_1#'];
    const answers = await Promise.all(ids.map((id) => world.send(RESEND, undefined, resendOf(id))));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(ids.map(() => 404));
    expect(lookedUp).not.toHaveBeenCalled();
  });

  it('need the scopes to read and to write', async () => {
    await given();
    const writer = { caller: { ...ACME, scopes: 'jobs:write' } };
    const reader = { caller: { ...ACME, scopes: 'jobs:read' } };
    expect((await world.send('deliveries', undefined, { ...LIST, ...writer })).statusCode).toBe(
      403,
    );
    const resend = await world.send(RESEND, undefined, { ...resendOf('msg_1'), ...reader });
    expect(resend.statusCode).toBe(403);
  });

  it('take no fields to be sent again', async () => {
    await given();
    const response = await world.send(RESEND, { url: 'https://x.example' }, resendOf('msg_1'));
    expect(response.statusCode).toBe(400);
  });
});
