import type { AgentContext, ChildHandle, Scope } from '../../../src/agent/index.ts';
import type { Job } from '../../../src/core/job/job.ts';
import type { StoredValue } from '../../../src/core/job/stored-value.ts';
import { CLEAN_UP, runCleanUp, runPlan } from '../agents/bind.ts';
import type { AgentInput } from '../agents/interpret.ts';
import type { AgentSpec } from '../agents/spec.ts';
import { Turns } from './oracle-turns.ts';
import type { ChildEnd, ReferenceView } from './reference-fold.ts';

/** How a job must have ended, going by its agent and by what its journal decides. */
export type Verdict =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: { message: string; code?: string; path?: string } }
  | { readonly kind: 'unfinished' };

export interface OracleSubject {
  readonly spec: AgentSpec;
  readonly job: Job;
  readonly input: AgentInput;
  readonly view: ReferenceView;
  readonly valueOf: (stored: StoredValue) => Promise<unknown>;
  readonly saw: (path: string, outcome: unknown) => void;
}

const act = (): Promise<never> => new Promise(() => undefined);

/** A subject, and whose turn it is to be told what. */
interface Asked extends OracleSubject {
  readonly turns: Turns;
}

/**
 * Runs the agent on a context that knows nothing but decisions: what is not decided never comes. What is, comes in the order of
 * the journal (ADR 13), and not in that of the plan: it matters which of two items of a map ended first, since no further one
 * begins after one that failed.
 */
export function askOracle(subject: OracleSubject): Promise<Verdict> {
  const { spec, input, saw } = subject;
  const asked = { ...subject, turns: new Turns() };
  return verdictOf(asked, runPlan(spec, contextOf(asked, ''), input, { act, saw }));
}

/** The same of its clean-up; one that has none is done at once. */
export function askOracleOfCleanUp(subject: OracleSubject): Promise<Verdict> {
  const { spec, saw } = subject;
  const asked = { ...subject, turns: new Turns() };
  const context = contextOf(asked, CLEAN_UP);
  return verdictOf(asked, runCleanUp(spec.cleanUp ?? [], context, { act, saw }));
}

async function verdictOf({ turns }: Asked, run: Promise<unknown>): Promise<Verdict> {
  let verdict: Verdict = { kind: 'unfinished' };
  run.then(
    (value) => {
      verdict = { kind: 'returned', value };
    },
    (error: unknown) => {
      verdict = { kind: 'threw', error: error as Error };
    },
  );
  await turns.taken();
  return verdict;
}

/** One of its own each time: whoever waits for a shared one would be kept for ever. */
const never = (): Promise<never> => new Promise(() => undefined);

function contextOf(subject: Asked, path: string): AgentContext {
  const { job, view, valueOf, turns } = subject;
  const join = async (
    handles: readonly ChildHandle[],
    { onFailure = 'fail' }: { onFailure?: 'fail' | 'collect' } = {},
  ): Promise<unknown[]> => {
    const ends = handles.map(({ jobId }) => ({ jobId, end: view.children.get(jobId) }));
    if (ends.some(({ end }) => end === undefined)) return never();
    const failed = ends.find(({ end }) => end?.status !== 'succeeded');
    const results = await Promise.all(
      ends.map(async ({ end }) => {
        const value = end?.result === undefined ? undefined : await valueOf(end.result);
        return onFailure === 'fail' ? value : { status: end?.status, value };
      }),
    );
    await turns.afterAll(ends.flatMap(({ end }) => end ?? []));
    if (onFailure === 'fail' && failed?.end !== undefined)
      throw childFailed(failed.jobId, failed.end);
    return results;
  };
  return {
    ...scopeOf(subject, path),
    jobId: job.jobId,
    tenantId: job.tenantId,
    attempt: 0,
    hints: job.hints ?? [],
    join: join as AgentContext['join'],
    progress: () => undefined,
    log: () => undefined,
  };
}

function scopeOf(subject: Asked, path: string): Scope {
  const decided = async (id: string): Promise<unknown> => {
    const decision = subject.view.decisions.get(`${path}${id}`);
    if (decision === undefined) return never();
    const value =
      decision.value === undefined ? decision.childId : await subject.valueOf(decision.value);
    await subject.turns.of(decision);
    if (decision.error === undefined) return value;
    const { name, message, code } = decision.error;
    throw Object.assign(new Error(message), { name, code, path: decision.path });
  };
  const inner = (name: string): Scope => scopeOf(subject, `${path}${name}/`);
  return {
    step: ((id: string) => decided(id)) as Scope['step'],
    sleep: (id) => decided(id) as Promise<void>,
    waitForSignal: (id: string) => decided(id),
    spawn: async (id, agent) => ({ jobId: (await decided(id)) as string, agent }),
    scope: async (id, fn) => fn(inner(id)),
    map: (id, items, options, fn) =>
      inLanes(items, options.concurrency ?? 10, async (item, index) =>
        fn(item, inner(`${id}[${index}]`), index),
      ),
  };
}

/** As the context promises: after a failure no item begins, and the lowest index that failed is thrown. */
async function inLanes<T, R>(
  items: readonly T[],
  lanes: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const failures = new Map<number, unknown>();
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length && failures.size === 0) {
      const index = next++;
      try {
        results[index] = await work(items[index] as T, index);
      } catch (error) {
        failures.set(index, error);
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  if (failures.size > 0) throw failures.get(Math.min(...failures.keys()));
  return results;
}

function childFailed(jobId: string, end: ChildEnd): Error {
  const how = end.status === 'failed' ? 'failed' : 'was cancelled';
  return Object.assign(new Error(`sub-job ${jobId} ${how}: ${end.message}`), {
    name: 'AppError',
    code: 'child_failed',
  });
}
