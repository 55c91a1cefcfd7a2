import type { ListedSchedule } from '../../src/core/ports/schedule-store.ts';
import {
  type ConfiguredSchedule,
  nextRunOf,
  type Schedule,
  type ScheduleRun,
} from '../../src/core/schedules/schedule.ts';
import type { ScheduleRepresentation } from '../../src/protocol/schedule.ts';

const isoOf = (instant: number): string => new Date(instant).toISOString();

/** A schedule that was made by a request. */
export function scheduleRepresentation(
  { schedule, lastRun }: ListedSchedule,
  now: number,
): ScheduleRepresentation {
  const { name, isPaused, isArmed, createdAt, updatedAt } = schedule;
  const settled = isPaused ? 'paused' : 'active';
  return {
    name,
    origin: 'api',
    state: isArmed ? settled : 'pending',
    ...askedFields(schedule),
    createdAt: isoOf(createdAt),
    updatedAt: isoOf(updatedAt),
    ...runFields(
      nextRunOf(schedule, now),
      lastRun && isOwn(lastRun, schedule) ? lastRun : undefined,
    ),
  };
}

/** A run under way while its schedule was deleted is noted all the same; it is none of the next one of that name. */
function isOwn({ ranAt }: ScheduleRun, { createdAt }: Schedule): boolean {
  return ranAt >= createdAt;
}

/** One of the deployment. When EventBridge counts a rate from is not known here, but for its start. */
export function configuredRepresentation(
  schedule: ConfiguredSchedule,
  lastRun: ScheduleRun | undefined,
  now: number,
): ScheduleRepresentation {
  const { timing } = schedule;
  const anchorAt = lastRun?.scheduledAt ?? timing.startAt;
  const isKnown = anchorAt !== undefined || timing.expression.startsWith('cron');
  const next = isKnown
    ? nextRunOf({ timing: { ...timing, anchorAt: anchorAt ?? now } }, now)
    : undefined;
  return {
    name: schedule.name,
    origin: 'config',
    state: 'active',
    ...askedFields(schedule),
    ...runFields(next, lastRun),
  };
}

/** What a list leaves out. */
export function withoutInput({
  input: _input,
  ...rest
}: ScheduleRepresentation): ScheduleRepresentation {
  return rest;
}

type Asked = Pick<ConfiguredSchedule, 'timing' | 'job'>;
type AskedFields = Omit<ScheduleRepresentation, 'name' | 'origin' | 'state'>;

function askedFields({ timing, job }: Asked): AskedFields {
  const { expression, timezone, startAt, endAt } = timing;
  return {
    expression,
    timezone,
    ...(startAt !== undefined && { startAt: isoOf(startAt) }),
    ...(endAt !== undefined && { endAt: isoOf(endAt) }),
    ...(job as Omit<AskedFields, 'expression' | 'timezone'> & { readonly agent: string }),
  };
}

function runFields(
  next: number | undefined,
  lastRun: ScheduleRun | undefined,
): Pick<ScheduleRepresentation, 'nextRunAt' | 'lastRun'> {
  return {
    ...(next !== undefined && { nextRunAt: isoOf(next) }),
    ...(lastRun !== undefined && {
      lastRun: {
        scheduledAt: isoOf(lastRun.scheduledAt),
        ranAt: isoOf(lastRun.ranAt),
        ...(lastRun.jobId !== undefined && { jobId: lastRun.jobId }),
        ...(lastRun.problem !== undefined && { problem: lastRun.problem }),
      },
    }),
  };
}
