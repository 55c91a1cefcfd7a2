import type { Duty, FinalStatus, Job, Totals } from '../job/job.ts';
import type { JournalEntry } from '../job/journal.ts';
import { resultKey } from '../job/payload-keys.ts';
import type { StoredValue } from '../job/stored-value.ts';
import { type Ending, finish } from '../job/transitions.ts';
import { LIMITS } from '../policy/limits.ts';
import { dutiesOf } from './cancel-job.ts';
import { performDuties } from './duties.ts';
import type { EngineDeps, Invocation } from './engine-deps.ts';
import { downstreamIn } from '../job/downstream-of.ts';
import { sizeBytes } from './json-value.ts';
import { referenceOf } from './payload.ts';
import type { Failure } from './outcome.ts';
import { storeError } from './stored-error.ts';

/** A job to be ended by the one who holds it. */
export interface HeldJob {
  readonly job: Job;
  readonly invocation: Invocation;
  readonly totals: Totals;
  /** Whether sub-jobs may be left that are to end with it. */
  readonly hasChildren: boolean;
  /** Steps of `totals` that an earlier generation recorded and a retry kept. */
  readonly keptSteps: number;
}

export async function succeed(deps: EngineDeps, held: HeldJob, resultJson: string): Promise<void> {
  const result = await storeResult(deps, held.job, resultJson);
  const duties = dutiesOf(deps, held.job, 'succeeded');
  await write(deps, held, { status: 'succeeded', result, duties });
}

/** The entry fences off every earlier owner; the caller has appended it. */
export async function fail(deps: EngineDeps, held: HeldJob, failure: Failure): Promise<void> {
  const duties: Duty[] = failure.deadLetter
    ? ['deadLetter', ...unfinishedDuties(deps, held, 'failed')]
    : unfinishedDuties(deps, held, 'failed');
  await write(deps, held, { status: 'failed', error: failure.error, duties });
}

export async function endCancelled(deps: EngineDeps, held: HeldJob): Promise<void> {
  const duties = unfinishedDuties(deps, held, 'cancelled');
  await write(deps, held, { status: 'cancelled', duties });
}

/** A job that did not succeed ends its sub-jobs, too. */
function unfinishedDuties(
  deps: EngineDeps,
  { job, hasChildren }: HeldJob,
  status: 'failed' | 'cancelled',
): Duty[] {
  const duties = dutiesOf(deps, job, status);
  return hasChildren ? ['children', ...duties] : duties;
}

export function failureEntry(failure: Failure, job: Job, at: number): JournalEntry {
  return {
    type: 'job.failed',
    at,
    attempt: job.epoch,
    error: failure.error,
    deadLettered: failure.deadLetter,
  };
}

/** What kept a clean-up from its end. An agent may throw `undefined`, too, so it is told by the object around it. */
export interface CleanUpFailure {
  readonly error: unknown;
}

/** What went wrong in the clean-up is noted beside the end that it does not change. */
export function cancelledEntry(job: Job, at: number, failed?: CleanUpFailure): JournalEntry {
  return {
    type: 'job.cancelled',
    at,
    attempt: job.epoch,
    ...(failed === undefined ? {} : { cleanUpError: storeError(failed.error) }),
  };
}

async function write(
  deps: EngineDeps,
  held: HeldJob,
  ending: Pick<Ending, 'status' | 'result' | 'error' | 'duties'>,
): Promise<void> {
  const { job, invocation, totals } = held;
  const now = deps.clock.now();
  const agentVersion = deps.agents.get(job.agent)?.version;
  const update = finish(
    { epoch: job.epoch, owner: invocation.id },
    { ...ending, totals, now, ...(agentVersion === undefined ? {} : { agentVersion }) },
  );
  const { applied, job: final } = await deps.jobs.updateJob(job.jobId, update);
  if (!applied) return;
  report(deps, final, now);
  const { tenantId, status } = final;
  const steps = totals.stepsSucceeded - held.keptSteps;
  invocation.ended.push({ tenantId, status: status as FinalStatus, steps });
  if (final.duties !== undefined) await performDuties(deps, final);
}

async function storeResult(deps: EngineDeps, job: Job, json: string): Promise<StoredValue> {
  const bytes = sizeBytes(json);
  if (bytes <= LIMITS.inlineInJobBytes) return { kind: 'inline', json };
  const { jobId, tenantId, generation, epoch, expiresAtSeconds } = job;
  if (bytes <= LIMITS.inlineBytes) {
    await deps.jobs.putResult({ jobId, generation, epoch, json, expiresAtSeconds });
    return { kind: 'item', sizeBytes: bytes };
  }
  return {
    kind: 's3',
    ...(await deps.payloads.put(resultKey({ tenantId, jobId, generation, epoch }), json)),
  };
}

const OUTCOME_METRICS = {
  succeeded: 'JobsSucceeded',
  failed: 'JobsFailed',
  cancelled: 'JobsCancelled',
} as const;

function report(deps: EngineDeps, job: Job, now: number): void {
  const { agent, status, error } = job;
  const dimensions = { agent };
  deps.telemetry.count(OUTCOME_METRICS[status as keyof typeof OUTCOME_METRICS], 1, dimensions);
  deps.telemetry.measure('EndToEndMs', now - (job.startAt ?? job.createdAt), dimensions);
  if (error !== undefined) deps.telemetry.count('JobsFailedByCode', 1, { code: error.code });
  deps.span?.note({ status });
  if (error === undefined) {
    deps.telemetry.log('info', `job ${status}`, { status });
    return;
  }
  deps.span?.fail({ name: error.cause?.name ?? 'Error', code: error.code });
  deps.telemetry.log('error', `job ${status}`, {
    status,
    step: error.step,
    error,
    downstream: downstreamIn(error.cause),
    payloadRef: referenceOf(job.input),
  });
}
