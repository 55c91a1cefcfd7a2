import { nextRun } from '../../recurrence/next-run.ts';
import { parseRecurrence } from '../../recurrence/recurrence.ts';
import type { AskedTiming } from '../../recurrence/timing-faults.ts';
import type { JobNotify } from '../notify/job-notify.ts';

/** What each run submits: the fields of a submission that do not depend on when it runs. */
export interface ScheduledJob {
  readonly agent: string;
  readonly input: unknown;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly limits?: { readonly maxSteps?: number; readonly maxDuration?: string };
  readonly notify?: JobNotify;
}

/** When a schedule runs. */
export interface Timing extends AskedTiming {
  /** A rate counts from here. */
  readonly anchorAt: number;
}

/** A job that is submitted again and again. What the table says counts; the trigger of EventBridge Scheduler only wakes us. */
export interface Schedule {
  readonly tenantId: string;
  /** Unique within the tenant. */
  readonly name: string;
  /** Another one after each change: what a trigger of an older one says is of no account. */
  readonly revision: string;
  readonly isPaused: boolean;
  readonly timing: Timing;
  readonly job: ScheduledJob;
  /** Whether the trigger is known to be that of this revision. */
  readonly isArmed: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type ScheduleId = Pick<Schedule, 'tenantId' | 'name'>;

/** What came of the newest run. */
export interface ScheduleRun {
  /** The instant it was due; with the name it makes the idempotency key of the job. */
  readonly scheduledAt: number;
  readonly ranAt: number;
  /** Absent: nothing could be submitted. */
  readonly jobId?: string;
  readonly problem?: { readonly code: string; readonly detail: string };
}

/** A schedule of a deployment's configuration: it has no state of its own, and only a deploy changes it. */
export interface ConfiguredSchedule extends ScheduleId {
  readonly timing: AskedTiming;
  readonly job: ScheduledJob;
}

/** The schedule of the configuration that has this name, if there is one. */
export function findConfigured(
  configured: readonly ConfiguredSchedule[],
  { tenantId, name }: ScheduleId,
): ConfiguredSchedule | undefined {
  return configured.find((one) => one.tenantId === tenantId && one.name === name);
}

/** Epoch milliseconds; undefined when it has ended or is paused. */
export function nextRunOf(
  { timing, isPaused = false }: { readonly timing: Timing; readonly isPaused?: boolean },
  now: number,
): number | undefined {
  return isPaused ? undefined : nextRun(parseRecurrence(timing.expression), timing, now);
}
