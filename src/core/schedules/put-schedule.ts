import type { AskedTiming } from '../../recurrence/timing-faults.ts';
import { canonicalJson } from '../job/canonical-json.ts';
import type { IdSource } from '../ports/id-source.ts';
import { type ArmDeps, armSchedule } from './arm-schedule.ts';
import type { Schedule, ScheduledJob, ScheduleId, Timing } from './schedule.ts';

export interface PutScheduleDeps extends ArmDeps {
  readonly ids: Pick<IdSource, 'newId'>;
  readonly maxPerTenant: number;
}

/** Others may change the schedule between look and write. */
const TRIES = 3;

export interface AskedSchedule extends ScheduleId {
  readonly timing: AskedTiming;
  readonly job: ScheduledJob;
}

export type PutScheduleResult =
  | { readonly outcome: 'created' | 'replaced'; readonly schedule: Schedule }
  | { readonly outcome: 'too_many' }
  /** Others changed it at the same time. */
  | { readonly outcome: 'raced' };

/**
 * Makes a schedule or changes it: first the item, which counts, then the trigger. After a crash between the two the same request
 * again finds the item as it is asked for, and sets the trigger.
 */
export async function putSchedule(
  deps: PutScheduleDeps,
  asked: AskedSchedule,
): Promise<PutScheduleResult> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const found = await deps.schedules.find(asked);
    if (found !== undefined && isSame(found, asked)) return armed(deps, found, 'replaced');
    if (found === undefined && (await isFull(deps, asked.tenantId))) return { outcome: 'too_many' };
    const schedule = changed(deps, asked, found);
    if (await deps.schedules.put(schedule, found?.revision)) {
      return armed(deps, schedule, found === undefined ? 'created' : 'replaced');
    }
  }
  return { outcome: 'raced' };
}

/** Requests at the same time may each get past it: the bound is there for reads and costs, which one more does not harm. */
async function isFull({ schedules, maxPerTenant }: PutScheduleDeps, tenantId: string) {
  return (await schedules.count(tenantId)) >= maxPerTenant;
}

async function armed(
  deps: PutScheduleDeps,
  schedule: Schedule,
  outcome: 'created' | 'replaced',
): Promise<PutScheduleResult> {
  const after = await armSchedule(deps, schedule);
  return after === undefined ? { outcome: 'raced' } : { outcome, schedule: after };
}

function changed(
  { ids, clock }: PutScheduleDeps,
  { tenantId, name, timing, job }: AskedSchedule,
  found: Schedule | undefined,
): Schedule {
  const now = clock.now();
  return {
    tenantId,
    name,
    revision: ids.newId(),
    isPaused: found?.isPaused ?? false,
    timing: { ...timing, anchorAt: anchorOf(timing, found?.timing, now) },
    job,
    isArmed: false,
    createdAt: found?.createdAt ?? now,
    updatedAt: now,
  };
}

/** The same rate goes on as it was; EventBridge knows whole seconds. */
function anchorOf(asked: AskedTiming, found: Timing | undefined, now: number): number {
  if (found?.expression === asked.expression) return found.anchorAt;
  return Math.floor(now / 1_000) * 1_000;
}

function isSame({ timing, job }: Schedule, asked: AskedSchedule): boolean {
  const { anchorAt: _, ...own } = timing;
  return (
    canonicalJson({ ...own }) === canonicalJson({ ...asked.timing }) &&
    canonicalJson({ ...job }) === canonicalJson({ ...asked.job })
  );
}
