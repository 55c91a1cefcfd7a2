import { describe, expect, it } from '@jest/globals';
import { NOON, aDelivery, aJob } from '../../support/builders.ts';
import type { MakeJobStore } from './describe-job-store.ts';

const NAME = { jobId: 'job-1', deliveryId: 'msg_1' };

export function describeDeliveries(make: MakeJobStore): void {
  describe('deliveries', () => {
    it('are put once: the first one stays', async () => {
      const { store } = await make();
      const delivery = aDelivery();

      expect(await store.putDelivery(delivery)).toBe('stored');
      expect(await store.putDelivery({ ...delivery, url: 'https://other.example/' })).toBe(
        'duplicate',
      );

      expect(await store.getDelivery(NAME)).toEqual(delivery);
      expect(await store.getDelivery({ ...NAME, deliveryId: 'msg_2' })).toBeUndefined();
    });

    it('are read with all that they hold', async () => {
      const { store } = await make();
      const delivery = aDelivery({
        status: 'failed',
        tries: [
          { at: NOON, status: 500, durationMs: 7 },
          { at: NOON + 5_000, error: 'ECONNREFUSED', durationMs: 1 },
        ],
        failedTries: 2,
      });
      await store.putDelivery(delivery);
      expect(await store.getDelivery(NAME)).toEqual(delivery);
    });

    it('are listed for their job alone', async () => {
      const { store } = await make();
      const ids = ['msg_a', 'msg_b', 'msg_c'];
      for (const deliveryId of [...ids].reverse()) {
        await store.putDelivery(aDelivery({ deliveryId }));
      }
      await store.putDelivery(aDelivery({ jobId: 'job-2', deliveryId: 'msg_d' }));
      await store.createJob(aJob());

      const listed = await store.listDeliveries('job-1');

      expect(listed.map(({ deliveryId }) => deliveryId)).toEqual(ids);
      expect(await store.listDeliveries('job-3')).toEqual([]);
    });

    it('are no part of the history of their job', async () => {
      const { store } = await make();
      await store.createJob(aJob());
      await store.putDelivery(aDelivery());
      expect(await store.loadHistory('job-1')).toEqual({
        children: [],
        pages: [],
        job: aJob(),
        signals: [],
      });
    });

    it('are replaced only as they were seen', async () => {
      const { store } = await make();
      const seen = aDelivery();
      await store.putDelivery(seen);
      const claimed = { ...seen, nextTryAt: NOON + 30_000, dueAt: NOON + 60_000 };

      expect(await store.replaceDelivery(claimed, seen)).toBe(true);
      expect(await store.replaceDelivery({ ...claimed, failedTries: 1 }, seen)).toBe(false);
      expect(await store.getDelivery(NAME)).toEqual(claimed);

      const { nextTryAt: _next, dueAt: _due, ...rest } = claimed;
      const delivered = { ...rest, status: 'delivered' as const };
      expect(await store.replaceDelivery(delivered, claimed)).toBe(true);
      expect(await store.replaceDelivery(claimed, claimed)).toBe(false);
      expect(await store.replaceDelivery(claimed, { ...delivered, status: 'failed' })).toBe(false);
      expect(await store.replaceDelivery(seen, delivered)).toBe(true);
      expect(await store.getDelivery(NAME)).toEqual(seen);
    });

    it('are not made by a replacement', async () => {
      const { store } = await make();
      expect(await store.replaceDelivery(aDelivery(), aDelivery())).toBe(false);
      expect(await store.rearmDelivery(aDelivery(), NOON)).toBe(false);
      expect(await store.getDelivery(NAME)).toBeUndefined();
    });

    it('are in the due index until they are settled', async () => {
      const { store } = await make();
      const delivery = aDelivery({ dueAt: NOON });
      await store.createJob(aJob({ dueAt: NOON - 1 }));
      await store.putDelivery(delivery);
      expect(await store.listDue(NOON, 10)).toEqual([
        { kind: 'job', jobId: 'job-1' },
        { kind: 'delivery', ...NAME },
      ]);

      expect(await store.rearmDelivery(delivery, NOON + 1)).toBe(true);
      expect(await store.rearmDelivery(delivery, NOON + 2)).toBe(false);
      expect(await store.listDue(NOON, 10)).toHaveLength(1);
      expect(await store.listDue(NOON + 1, 10)).toHaveLength(2);

      const { nextTryAt: _next, dueAt: _due, ...rest } = delivery;
      await store.replaceDelivery({ ...rest, status: 'delivered' }, delivery);
      expect(await store.listDue(NOON + 1, 10)).toHaveLength(1);
    });

    it('expire like everything of their job', async () => {
      const { store, clock } = await make();
      const delivery = aDelivery({ expiresAtSeconds: NOON / 1_000 + 60 });
      await store.putDelivery(delivery);
      clock.time = NOON + 60_000;

      expect(await store.getDelivery(NAME)).toBeUndefined();
      expect(await store.listDeliveries('job-1')).toEqual([]);
      expect(await store.replaceDelivery(delivery, delivery)).toBe(false);
      expect(await store.rearmDelivery(delivery, NOON)).toBe(false);
      const later = aDelivery({ expiresAtSeconds: NOON / 1_000 + 600 });
      expect(await store.putDelivery(later)).toBe('stored');
    });
  });
}
