import { describe, expect, it } from '@jest/globals';
import type { ScheduleStore } from '../../src/core/ports/schedule-store.ts';
import { aSchedule } from '../support/a-schedule.ts';
import { NOON } from '../support/builders.ts';

/** What every store of schedules does. */
export function describeScheduleStore(name: string, make: () => Promise<ScheduleStore>): void {
  describe(`schedule store: ${name}`, () => {
    it('gives back what was put, of this tenant and no other', async () => {
      const store = await make();
      expect(await store.put(aSchedule(), undefined)).toBe(true);
      expect(await store.find(aSchedule())).toEqual(aSchedule());
      expect(await store.find(aSchedule({ tenantId: 'acm' }))).toBeUndefined();
      expect(await store.list('globex')).toEqual([]);
    });

    it('puts only in the place of the revision that is named', async () => {
      const store = await make();
      await store.put(aSchedule(), undefined);
      const second = aSchedule({ revision: 'r2' });
      expect(await store.put(second, undefined)).toBe(false);
      expect(await store.put(second, 'r0')).toBe(false);
      expect(await store.put(second, 'r1')).toBe(true);
      expect(await store.find(second)).toEqual(second);
    });

    it('notes that the trigger is set, unless the schedule has changed or is gone', async () => {
      const store = await make();
      await store.put(aSchedule(), undefined);
      expect(await store.confirmArmed(aSchedule({ revision: 'r0' }))).toBe(false);
      expect(await store.confirmArmed(aSchedule({ name: 'other' }))).toBe(false);
      expect(await store.confirmArmed(aSchedule())).toBe(true);
      expect((await store.find(aSchedule()))?.isArmed).toBe(true);
    });

    it('lists schedules by name with their last runs, and counts them without', async () => {
      const store = await make();
      for (const one of ['b', 'a', 'a.b']) await store.put(aSchedule({ name: one }), undefined);
      const run = { scheduledAt: NOON, ranAt: NOON + 1, jobId: 'job_1' };
      await store.recordRun(aSchedule({ name: 'a' }), run);
      const listed = await store.list('acme');
      expect(listed.map(({ schedule, lastRun }) => [schedule.name, lastRun])).toEqual([
        ['a', run],
        ['a.b', undefined],
        ['b', undefined],
      ]);
      expect(await store.count('acme')).toBe(3);
    });

    it('keeps the later of two runs, and the newer word on the same one', async () => {
      const store = await make();
      const run = (scheduledAt: number, ranAt: number) => ({ scheduledAt, ranAt, jobId: 'job_1' });
      await store.recordRun(aSchedule(), run(NOON, NOON + 1));
      await store.recordRun(aSchedule(), run(NOON - 1, NOON + 2));
      expect(await store.findRun(aSchedule())).toEqual(run(NOON, NOON + 1));
      await store.recordRun(aSchedule(), run(NOON, NOON + 3));
      expect(await store.findRun(aSchedule())).toEqual(run(NOON, NOON + 3));
    });

    it('removes a schedule with its last run', async () => {
      const store = await make();
      await store.put(aSchedule(), undefined);
      await store.recordRun(aSchedule(), { scheduledAt: NOON, ranAt: NOON });
      await store.remove(aSchedule());
      expect(await store.find(aSchedule())).toBeUndefined();
      expect(await store.findRun(aSchedule())).toBeUndefined();
    });
  });
}
