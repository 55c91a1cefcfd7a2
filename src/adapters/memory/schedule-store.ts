import type { ScheduleStore } from '../../core/ports/schedule-store.ts';
import type { Schedule, ScheduleId, ScheduleRun } from '../../core/schedules/schedule.ts';
import { answer } from './answer.ts';
import { compareText } from './compare-text.ts';
import { frozenCopy } from './frozen-copy.ts';

const keyOf = ({ tenantId, name }: ScheduleId): string => `${tenantId}#${name}`;

export function memoryScheduleStore(): ScheduleStore {
  const schedules = new Map<string, Schedule>();
  const runs = new Map<string, ScheduleRun>();
  const ofTenant = (tenantId: string) =>
    [...schedules.values()]
      .filter((schedule) => schedule.tenantId === tenantId)
      .sort((a, b) => compareText(a.name, b.name));
  return {
    find: (id) => answer(() => schedules.get(keyOf(id))),
    list: (tenantId) =>
      answer(() =>
        ofTenant(tenantId).map((schedule) => {
          const lastRun = runs.get(keyOf(schedule));
          return { schedule, ...(lastRun && { lastRun }) };
        }),
      ),
    count: (tenantId) => answer(() => ofTenant(tenantId).length),
    put: (schedule, instead) =>
      answer(() => {
        if (schedules.get(keyOf(schedule))?.revision !== instead) return false;
        schedules.set(keyOf(schedule), frozenCopy(schedule));
        return true;
      }),
    confirmArmed: (schedule) =>
      answer(() => {
        const stored = schedules.get(keyOf(schedule));
        if (stored?.revision !== schedule.revision) return false;
        schedules.set(keyOf(schedule), frozenCopy({ ...stored, isArmed: true }));
        return true;
      }),
    remove: (id) =>
      answer(() => {
        schedules.delete(keyOf(id));
        runs.delete(keyOf(id));
      }),
    findRun: (id) => answer(() => runs.get(keyOf(id))),
    recordRun: (id, run) =>
      answer(() => {
        if ((runs.get(keyOf(id))?.scheduledAt ?? -Infinity) > run.scheduledAt) return;
        runs.set(keyOf(id), frozenCopy(run));
      }),
  };
}
