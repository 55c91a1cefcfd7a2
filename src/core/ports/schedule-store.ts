import type { Schedule, ScheduleId, ScheduleRun } from '../schedules/schedule.ts';

/** A schedule with what came of its newest run. */
export interface ListedSchedule {
  readonly schedule: Schedule;
  readonly lastRun?: ScheduleRun;
}

/** Schedules of the tenants, as they were asked for. Every read is strongly consistent. */
export interface ScheduleStore {
  find(id: ScheduleId): Promise<Schedule | undefined>;
  /** All of a tenant by name; there are few, which `count` bounds. */
  list(tenantId: string): Promise<ListedSchedule[]>;
  count(tenantId: string): Promise<number>;
  /** Puts a schedule in the place of the revision named, or of none; false when something else is there. */
  put(schedule: Schedule, instead: string | undefined): Promise<boolean>;
  /** Notes that the trigger is that of this revision; false when the schedule has another one by now, or is gone. */
  confirmArmed(schedule: Schedule): Promise<boolean>;
  /** Also its last run. */
  remove(id: ScheduleId): Promise<void>;
  findRun(id: ScheduleId): Promise<ScheduleRun | undefined>;
  /** Keeps the run unless a later one is known. */
  recordRun(id: ScheduleId, run: ScheduleRun): Promise<void>;
}
