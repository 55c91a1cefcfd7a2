import type { ChildHandle, ChildResult, SpawnOptions } from '../../agent/context.ts';
import { AppError } from '../../errors.ts';
import {
  type CheckedSubmission,
  checkSubmission,
  type InputFault,
} from '../commands/check-submission.ts';
import { submitJob } from '../commands/submit-job.ts';
import type { ChildFinished, JournalEntry } from '../job/journal.ts';
import { fromJson, toJson } from './json-value.ts';
import { momentOf, recordOf } from './journal-view.ts';
import { readStored } from './payload.ts';
import { isBefore, type Moment } from './release-order.ts';
import type { RunState } from './run-state.ts';

export interface Spawn {
  readonly stepId: string;
  readonly agent: string;
  readonly input: unknown;
  readonly options: SpawnOptions;
}

/**
 * Makes the sub-job, then records it. Its id follows from the job, its generation and the step, so a crash between the two
 * makes the same job again and not a second one; a user retry from before the spawn makes a new one.
 */
export async function spawnChild(run: RunState, spawn: Spawn): Promise<ChildHandle> {
  const { stepId, agent } = spawn;
  const recorded = run.view.steps.get(stepId)?.spawned;
  if (recorded !== undefined) {
    await run.turnOf(momentOf(recordOf(run.view, stepId)));
    return { jobId: recorded.childId, agent: recorded.agent };
  }
  checkWidth(run, stepId);
  // Before anything is waited for: branches side by side must not all find the last place free.
  run.spawning.add(stepId);
  try {
    const submission = await run.activity.run(() => checkedChild(run, spawn));
    await run.activity.run(async () => {
      await run.spawns.pass(() => submitChild(run, submission));
      const { cancelWithParent = true } = spawn.options;
      const childId = submission.child?.jobId ?? '';
      const at = run.deps.clock.now();
      const base = { at, attempt: run.job.epoch, stepId };
      await run.journal.append({
        type: 'child.spawned',
        ...base,
        childId,
        agent,
        cancelWithParent,
      });
    });
  } finally {
    run.spawning.delete(stepId);
  }
  // What the journal holds counts, whoever wrote it.
  return spawnChild(run, spawn);
}

/** Whoever waited at the gate beyond the end of the run makes no sub-job any more. */
async function submitChild(run: RunState, submission: CheckedSubmission): Promise<void> {
  if (run.hasEnded) return new Promise(() => undefined);
  await run.guard(submitJob({ ...run.deps, retentionDays: 0 }, submission));
}

/** Waits for the outcomes of sub-jobs. They come by the table; a counter only saves wake-ups. */
export async function joinChildren(
  run: RunState,
  handles: readonly ChildHandle[],
  onFailure: 'fail' | 'collect',
): Promise<unknown[]> {
  const jobIds = ownChildren(run, handles);
  for (;;) {
    const missing = jobIds.filter((jobId) => !run.view.children.has(jobId));
    if (missing.length === 0) break;
    const arrived = missing.flatMap((jobId) => run.childOutcomes.get(jobId) ?? []);
    if (arrived.length < missing.length) {
      await run.activity.park({ reason: 'children', missing: missing.length - arrived.length });
      continue;
    }
    // Entries of one turn share pages.
    await run.activity.run(() =>
      Promise.all(arrived.map((outcome) => run.journal.append(entryOf(run, outcome)))),
    );
  }
  const outcomes = handles.flatMap(({ jobId }) => run.view.children.get(jobId) ?? []);
  const failed = outcomes.find(({ status }) => status !== 'succeeded');
  const isRefused = failed !== undefined && onFailure === 'fail';
  if (outcomes.length === 0) return [];
  const last = outcomes.reduce<Moment>((a, b) => (isBefore(a, b) ? b : a), { at: 0, order: 0 });
  return run.turnOf(last, async () => {
    if (isRefused) throw childFailed(failed);
    return Promise.all(outcomes.map((outcome) => resultOf(run, outcome, onFailure)));
  });
}

/** Each sub-job once. What was not spawned here would never come. */
function ownChildren(run: RunState, handles: readonly ChildHandle[]): string[] {
  const own = new Set<string>();
  for (const { spawned } of run.view.steps.values()) {
    if (spawned !== undefined) own.add(spawned.childId);
  }
  const jobIds = [...new Set(handles.map(({ jobId }) => jobId))];
  const stranger = jobIds.find((jobId) => !own.has(jobId));
  if (stranger === undefined) return jobIds;
  throw new AppError(
    `join names ${JSON.stringify(stranger)}, which this job did not spawn: pass the handles that ctx.spawn gave`,
    { code: 'invalid_option', details: { option: 'handles', value: stranger } },
  );
}

function checkWidth(run: RunState, stepId: string): void {
  const { maxDepth, maxPerJob } = run.deps.subJobs;
  const depth = (run.job.depth ?? 0) + 1;
  const taken = new Set(run.spawning);
  for (const [id, record] of run.view.steps) if (record.spawned !== undefined) taken.add(id);
  const spawned = taken.size;
  if (depth <= maxDepth && spawned < maxPerJob) return;
  const [what, got, limit] =
    depth > maxDepth
      ? ['a sub-job at depth', depth, maxDepth]
      : ['sub-job number', spawned + 1, maxPerJob];
  throw new AppError(
    `spawn ${JSON.stringify(stepId)} would make ${what} ${got}: the limit is ${limit}`,
    {
      code: 'children_exceeded',
      details: { stepId, got, limit },
    },
  );
}

async function checkedChild(run: RunState, spawn: Spawn): Promise<CheckedSubmission> {
  const { job, deps } = run;
  const input: unknown = fromJson(toJson(spawn.input));
  const checked = await checkSubmission(deps, {
    tenantId: job.tenantId,
    agent: spawn.agent,
    input,
    ...(job.traceparent === undefined ? {} : { traceparent: job.traceparent }),
    child: {
      jobId: `job_${deps.ids.deriveId('child', job.jobId, String(job.generation), spawn.stepId)}`,
      parentId: job.jobId,
      depth: (job.depth ?? 0) + 1,
      deadlineAt: job.deadlineAt,
      expiresAtSeconds: job.expiresAtSeconds,
    },
  });
  if (checked.valid) return checked.submission;
  // A spawn names no upload, so there are two things that can be wrong with it.
  if (checked.code === 'invalid_input') throw invalidInput(spawn, checked.faults);
  const known = 'knownAgents' in checked ? checked.knownAgents : [];
  throw new AppError(
    `spawn ${JSON.stringify(spawn.stepId)} names the agent ${JSON.stringify(spawn.agent)}: known are ${known.join(', ')}`,
    { code: 'unknown_child_agent', details: { stepId: spawn.stepId, agent: spawn.agent } },
  );
}

function invalidInput(spawn: Spawn, faults: readonly InputFault[]): AppError {
  const texts = faults.map(({ path, message }) => `/${path.map(String).join('/')}: ${message}`);
  return new AppError(
    `the input of spawn ${JSON.stringify(spawn.stepId)} does not fit the agent ${JSON.stringify(spawn.agent)}: ${texts.join('; ')}`,
    { code: 'invalid_child_input', details: { stepId: spawn.stepId, faults: texts } },
  );
}

function entryOf(
  run: RunState,
  outcome: Pick<ChildFinished, 'childId' | 'status' | 'result' | 'error'>,
): JournalEntry {
  const { childId, status, result, error } = outcome;
  return {
    type: 'child.finished',
    at: run.deps.clock.now(),
    attempt: run.job.epoch,
    childId,
    status,
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
  };
}

async function valueOf(run: RunState, outcome: ChildFinished): Promise<string> {
  return outcome.result === undefined ? '' : readStored(run, outcome.result);
}

/** The value alone, or, for a join that collects, how the sub-job ended. */
async function resultOf(
  run: RunState,
  outcome: ChildFinished,
  onFailure: 'fail' | 'collect',
): Promise<unknown> {
  const { status, childId: jobId } = outcome;
  if (status !== 'succeeded')
    return { status, jobId, error: briefError(outcome) } satisfies ChildResult;
  const value = fromJson(await valueOf(run, outcome));
  return onFailure === 'fail' ? value : ({ status, jobId, value } satisfies ChildResult);
}

function briefError({ status, error }: ChildFinished): { code: string; message: string } {
  if (error !== undefined) return { code: error.code, message: error.message };
  return { code: status, message: `the sub-job was ${status}` };
}

function childFailed(outcome: ChildFinished): AppError {
  const { code, message } = briefError(outcome);
  return new AppError(
    `sub-job ${outcome.childId} ${outcome.status === 'failed' ? 'failed' : 'was cancelled'}: ${message}`,
    {
      code: 'child_failed',
      details: { jobId: outcome.childId, status: outcome.status, childCode: code },
    },
  );
}
