import type { Clock } from '../ports/clock.ts';
import type { ScheduleStore } from '../ports/schedule-store.ts';
import type { ScheduleTrigger } from '../ports/schedule-trigger.ts';
import { AppError } from '../../errors.ts';
import { nextRunOf, type Schedule } from './schedule.ts';

export interface ArmDeps {
  readonly schedules: ScheduleStore;
  readonly trigger: ScheduleTrigger;
  readonly clock: Pick<Clock, 'now'>;
}

/** Of requests that change the same schedule at the same time, the last one to write has the last word; more than this is a storm. */
const TRIES = 5;

/**
 * Makes the trigger that of the schedule in the table, and notes it there. Whoever finds that the schedule has changed meanwhile
 * goes on with what it is then, so that the trigger of the newest revision stays, whichever request is the last to set it.
 * Answers the schedule, or undefined when it was deleted.
 */
export async function armSchedule(
  deps: ArmDeps,
  schedule: Schedule,
): Promise<Schedule | undefined> {
  let current = schedule;
  for (let tries = 0; tries < TRIES; tries += 1) {
    await setTrigger(deps, current);
    if (await deps.schedules.confirmArmed(current)) return { ...current, isArmed: true };
    const found = await deps.schedules.find(current);
    if (found === undefined) {
      await deps.trigger.remove(current);
      return undefined;
    }
    current = found;
  }
  throw new AppError('the schedule is changed by too many requests at the same time: try again', {
    code: 'unavailable',
    retryable: true,
  });
}

/** One that has no run any more has no trigger: EventBridge takes none whose end is past. */
async function setTrigger({ trigger, clock }: ArmDeps, schedule: Schedule): Promise<void> {
  const { timing } = schedule;
  const now = clock.now();
  const next = nextRunOf({ timing }, now);
  if (next === undefined) {
    await trigger.remove(schedule);
    return;
  }
  // A rate counts from its start, and a start may not be past.
  const startAt = timing.expression.startsWith('rate') ? next : timing.startAt;
  await trigger.set(schedule, startAt !== undefined && startAt > now ? { startAt } : {});
}
