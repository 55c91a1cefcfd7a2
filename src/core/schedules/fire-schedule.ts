import type { Telemetry } from '../ports/telemetry.ts';
import { type ArmDeps, armSchedule } from './arm-schedule.ts';
import {
  type ConfiguredSchedule,
  findConfigured,
  type Schedule,
  type ScheduledJob,
  type ScheduleId,
  type ScheduleRun,
} from './schedule.ts';

/** What a trigger says when it fires: a hint, as every message. */
export interface Firing {
  readonly tenantId: string;
  /** Name of the schedule. */
  readonly schedule: string;
  /** Absent: a schedule of the configuration. */
  readonly revision?: string;
  /** Epoch milliseconds. */
  readonly scheduledAt: number;
}

/** A run that is to be submitted. */
export interface DueRun extends ScheduleId {
  readonly job: ScheduledJob;
  readonly scheduledAt: number;
  /** The same for every firing of the run. No client can send it: their keys have no line breaks. */
  readonly idempotencyKey: string;
}

export type SubmittedRun = Pick<ScheduleRun, 'jobId' | 'problem'> & {
  /** Of the job. */
  readonly traceId?: string;
};

export interface FireDeps extends ArmDeps {
  /** Those of the configuration. */
  readonly configured: readonly ConfiguredSchedule[];
  /** Submits as `POST /jobs` does; what is refused is an answer, and what may be tried again is thrown. */
  readonly submit: (run: DueRun) => Promise<SubmittedRun>;
  readonly telemetry: Telemetry;
}

export type FiringDecision = 'run' | 'unknown' | 'stale' | 'paused' | 'hidden';

/** What is done about a firing, by the schedule as the table has it. */
export function decideFiring(
  firing: Pick<Firing, 'revision'>,
  schedule: Pick<Schedule, 'revision' | 'isPaused'> | undefined,
): FiringDecision {
  if (schedule === undefined) return 'unknown';
  if (schedule.revision !== firing.revision) return 'stale';
  return schedule.isPaused ? 'paused' : 'run';
}

/**
 * Submits the job of a run, once however often its trigger fires. A trigger that does not belong to what the table holds, left by
 * requests that died or overtook each other, is put right instead.
 */
export async function fireSchedule(deps: FireDeps, firing: Firing): Promise<void> {
  const { tenantId, schedule: name, revision } = firing;
  const id = { tenantId, name };
  const fields = { tenantId, schedule: name, scheduledAt: new Date(firing.scheduledAt) };
  const configured = findConfigured(deps.configured, id);
  if (revision === undefined) {
    if (configured === undefined) {
      deps.telemetry.log('warn', 'no such schedule in the configuration', fields);
    } else await run(deps, configured, firing);
    return;
  }
  const schedule = await deps.schedules.find(id);
  // Nobody could see or stop its runs.
  const decision = configured === undefined ? decideFiring(firing, schedule) : 'hidden';
  if (decision === 'run' && schedule !== undefined) {
    await run(deps, schedule, firing);
    return;
  }
  deps.telemetry.log('info', `a firing was of no account: ${decision}`, fields);
  if (decision === 'stale' && schedule !== undefined) await armSchedule(deps, schedule);
  if (decision === 'unknown') await removeOrphan(deps, id);
}

async function run(
  deps: FireDeps,
  { tenantId, name, job }: ConfiguredSchedule | Schedule,
  { scheduledAt, revision }: Firing,
): Promise<void> {
  const origin = revision === undefined ? 'config' : 'api';
  const instant = new Date(scheduledAt).toISOString();
  const idempotencyKey = ['schedule', origin, name, instant].join('\n');
  const { traceId, ...outcome } = await deps.submit({
    tenantId,
    name,
    job,
    scheduledAt,
    idempotencyKey,
  });
  const { jobId, problem } = outcome;
  const facts = { schedule: name, scheduledAt: instant, code: problem?.code };
  const fields = { jobId, tenantId, agent: job.agent, traceId, ...facts };
  deps.telemetry.log(problem ? 'error' : 'info', 'a schedule was run', fields);
  deps.telemetry.count(problem ? 'ScheduleRunsFailed' : 'ScheduleRuns');
  const ranAt = deps.clock.now();
  await deps.schedules.recordRun({ tenantId, name }, { scheduledAt, ranAt, ...outcome });
}

/** Unless the schedule was made meanwhile, whose trigger this would have removed. */
async function removeOrphan(deps: FireDeps, id: ScheduleId): Promise<void> {
  await deps.trigger.remove(id);
  const made = await deps.schedules.find(id);
  if (made !== undefined) await armSchedule(deps, made);
}
