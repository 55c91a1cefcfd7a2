import type { Schedule, ScheduleId } from '../schedules/schedule.ts';

/** What wakes us when a schedule is due. It may do so twice, late, or for a schedule that is no more. */
export interface ScheduleTrigger {
  /** Makes the trigger of a schedule, or changes it; `startAt` is when it may first fire. */
  set(schedule: Schedule, options: { readonly startAt?: number }): Promise<void>;
  /** There may be none. */
  remove(id: ScheduleId): Promise<void>;
}
