import type { IdSource } from '../ports/id-source.ts';
import { type ArmDeps, armSchedule } from './arm-schedule.ts';
import type { Schedule, ScheduleId } from './schedule.ts';

export type ChangeDeps = ArmDeps & { readonly ids: Pick<IdSource, 'newId'> };

/** Others may change the schedule between look and write. */
const TRIES = 3;

export type ChangeResult =
  | { readonly outcome: 'changed'; readonly schedule: Schedule }
  | { readonly outcome: 'unknown' }
  /** Others changed it at the same time. */
  | { readonly outcome: 'raced' };

/** Holds a schedule, or lets it go on. One that is so already has its trigger set again: it may be the retry after a crash. */
export async function pauseSchedule(
  deps: ChangeDeps,
  id: ScheduleId,
  isPaused: boolean,
): Promise<ChangeResult> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const found = await deps.schedules.find(id);
    if (found === undefined) return { outcome: 'unknown' };
    const schedule = found.isPaused === isPaused ? found : changed(deps, found, isPaused);
    if (schedule === found || (await deps.schedules.put(schedule, found.revision))) {
      const after = await armSchedule(deps, schedule);
      return after === undefined ? { outcome: 'unknown' } : { outcome: 'changed', schedule: after };
    }
  }
  return { outcome: 'raced' };
}

function changed({ ids, clock }: ChangeDeps, found: Schedule, isPaused: boolean): Schedule {
  const revision = ids.newId();
  return { ...found, revision, isPaused, isArmed: false, updatedAt: clock.now() };
}

/** The trigger goes first: after a crash between the two the schedule is there to be deleted again. False when there is none. */
export async function deleteSchedule(deps: ArmDeps, id: ScheduleId): Promise<boolean> {
  const found = await deps.schedules.find(id);
  if (found === undefined) return false;
  await deps.trigger.remove(id);
  await deps.schedules.remove(id);
  return true;
}
