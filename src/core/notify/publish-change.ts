import type { Job } from '../job/job.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventBus, StatusChange } from '../ports/event-bus.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { jobFields } from '../trace/job-telemetry.ts';

export interface PublishDeps {
  /** Default: nobody listens. */
  readonly events?: EventBus;
  readonly ids: Pick<IdSource, 'deriveId'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly telemetry: Telemetry;
}

/** Puts a final status on the bus. */
export async function publishFinal(deps: PublishDeps, job: Job): Promise<void> {
  const change = job.status as StatusChange['change'];
  await deps.events?.put(changeOf(deps, job, change));
}

/** Tells of a status on the way. It is not made good when it fails: whoever must know each of them reads the journal. */
export async function publishOnTheWay(
  deps: PublishDeps,
  job: Job,
  change: 'submitted' | 'started' | 'waiting',
): Promise<void> {
  if (deps.events === undefined) return;
  try {
    await deps.events.put(changeOf(deps, job, change));
  } catch (error) {
    deps.telemetry.log('warn', 'a change of status did not reach the event bus', {
      ...jobFields(job),
      change,
      error,
    });
  }
}

function changeOf(deps: PublishDeps, job: Job, change: StatusChange['change']): StatusChange {
  const { jobId, tenantId, agent, status, waitingFor, generation, epoch: attempts } = job;
  const { error, deadLettered, parentId, metadata, tags, createdAt, finishedAt } = job;
  const changedAt = finishedAt ?? deps.clock.now();
  // A job may wait many times in a generation; everything else happens once.
  const moment = change === 'waiting' ? String(changedAt) : '';
  return {
    eventId: `evt_${deps.ids.deriveId('event', jobId, String(generation), change, moment)}`,
    jobId,
    tenantId,
    agent,
    change,
    status,
    ...(waitingFor === undefined ? {} : { waitingFor }),
    generation,
    attempts,
    createdAt: isoOf(createdAt),
    changedAt: isoOf(changedAt),
    ...(finishedAt === undefined ? {} : { finishedAt: isoOf(finishedAt) }),
    ...(error === undefined ? {} : { error: briefError(error) }),
    ...(deadLettered === undefined ? {} : { deadLettered }),
    ...(parentId === undefined ? {} : { parentId }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(tags === undefined ? {} : { tags }),
  };
}

function briefError({ code, message, step }: NonNullable<Job['error']>) {
  return { code, message, ...(step === undefined ? {} : { step }) };
}

const isoOf = (at: number): string => new Date(at).toISOString();
