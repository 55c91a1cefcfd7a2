import type { ScheduleTrigger } from '../../core/ports/schedule-trigger.ts';
import type { Schedule, ScheduleId } from '../../core/schedules/schedule.ts';
import { answer } from './answer.ts';

export interface SetTrigger {
  readonly schedule: Schedule;
  readonly startAt?: number;
}

/** Triggers that never fire by themselves. */
export class MemoryScheduleTrigger implements ScheduleTrigger {
  /** By `tenant/name`. */
  readonly triggers = new Map<string, SetTrigger>();

  set(schedule: Schedule, { startAt }: { readonly startAt?: number }): Promise<void> {
    return answer(() => {
      this.triggers.set(keyOf(schedule), { schedule, ...(startAt !== undefined && { startAt }) });
    });
  }

  remove(id: ScheduleId): Promise<void> {
    return answer(() => {
      this.triggers.delete(keyOf(id));
    });
  }
}

const keyOf = ({ tenantId, name }: ScheduleId): string => `${tenantId}/${name}`;
