import {
  type AgentContext,
  RetryableError,
  type Scope,
  TerminalError,
} from '../../../src/agent/index.ts';
import type { Duration, StepContext } from '../../../src/agent/index.ts';
import type { Node, Plan } from './spec.ts';

/** What a run of an agent does to the world: for real, or as the oracle thinks of it. */
export interface AgentWorld {
  /** Runs a step's function. */
  act(
    node: Extract<Node, { kind: 'step' }>,
    path: string,
    step: StepContext,
    hinted: boolean,
  ): Promise<unknown>;
  /** `run` has seen the outcome of something under this id. */
  saw(path: string, outcome: unknown): void;
}

export interface AgentInput {
  readonly n: number;
  /** The step that spawned it, for a sub-job. */
  readonly from?: string;
  readonly padding?: string;
}

/** What is seen of a note. */
export const NOTED = 'noted';

/** Ends the path under which the result of a join is seen. */
export const JOINED = ' joined';

export const SIGNAL_SCHEMA = schemaOf((value) => (value as { ok?: unknown } | null)?.ok === true);

/** The least that a Standard Schema can be: fast, since it is run many times per schedule. */
export function schemaOf(fits: (value: unknown) => boolean) {
  return {
    '~standard': {
      version: 1,
      vendor: 'simulation',
      validate: (value: unknown) =>
        fits(value) ? { value } : { issues: [{ message: 'does not fit', path: [] }] },
    },
  } as const;
}

interface Place {
  readonly ctx: AgentContext;
  readonly scope: Scope;
  readonly path: string;
  readonly world: AgentWorld;
  /** Whether a failure in here is caught: then nothing may be left running when it is. */
  readonly isContained?: boolean;
}

/** Carries out a plan; the values it gives are all that the agent's result is made of. */
export async function interpret(plan: Plan, place: Place): Promise<unknown[]> {
  const values: unknown[] = [];
  for (const node of plan) values.push((await interpretNode(node, place)) ?? null);
  return values;
}

function interpretNode(node: Node, place: Place): Promise<unknown> | undefined {
  const { ctx, scope, path, world } = place;
  const full = `${path}${node.id}`;
  switch (node.kind) {
    case 'step':
      return seen(place, full, runStep(node, place, full));
    case 'sleep':
      return scope.sleep(node.id, `${node.ms}ms`);
    case 'signal':
      return seen(place, full, waitFor(node, scope));
    case 'branches':
      return together(
        place,
        node.branches.map((branch, index) =>
          scope.scope(`${node.id}-${index}`, (inner) =>
            interpret(branch, { ...place, scope: inner, path: `${full}-${index}/` }),
          ),
        ),
      );
    case 'map':
      return scope.map(
        node.id,
        Array.from({ length: node.count }, (_, index) => index),
        { concurrency: node.concurrency },
        (index, inner) =>
          interpret(node.body, { ...place, scope: inner, path: `${full}[${index}]/` }),
      );
    case 'children':
      return seen(place, `${full}${JOINED}`, spawnAndJoin(node, place, full));
    case 'attempt':
      return attempt(node, place, full);
    case 'note':
      ctx.progress({ completed: 1, total: 2, message: node.id });
      ctx.log(`note ${full}`);
      world.saw(full, NOTED);
      return undefined;
  }
}

function runStep(
  node: Extract<Node, { kind: 'step' }>,
  { ctx, scope, world }: Place,
  full: string,
): Promise<unknown> {
  return scope.step(node.id, (step) => world.act(node, full, step, ctx.hints.length > 0), {
    retries: node.retries,
    timeout: `${node.timeoutMs}ms` as Duration,
    backoff: { base: `${node.backoffMs}ms` as Duration, max: '10m' },
  });
}

/** A wait that may time out is never what an agent fails by: whoever waits that long has a plan for it. */
async function waitFor(node: Extract<Node, { kind: 'signal' }>, scope: Scope): Promise<unknown> {
  try {
    return await scope.waitForSignal(node.id, {
      schema: SIGNAL_SCHEMA,
      name: node.name,
      ...(node.timeoutMs === undefined ? {} : { timeout: `${node.timeoutMs}ms` as Duration }),
    });
  } catch (error) {
    if ((error as { code?: unknown }).code === 'signal_timeout') return 'timed out';
    throw error;
  }
}

async function spawnAndJoin(
  node: Extract<Node, { kind: 'children' }>,
  place: Place,
  full: string,
): Promise<unknown> {
  const { scope, ctx } = place;
  const handles = await Promise.all(
    Array.from({ length: node.count }, (_, index) => {
      const input: AgentInput = { n: index, from: `${full}-${index}` };
      const { cancelWithParent } = node;
      return scope.spawn(`${node.id}-${index}`, node.agent, input, { cancelWithParent });
    }),
  );
  handles.forEach(({ jobId }, index) => {
    place.world.saw(`${full}-${index}`, jobId);
  });
  const meanwhile = await interpret(node.meanwhile, place);
  if (node.onFailure === 'fail') return [meanwhile, await ctx.join(handles)];
  const results = await ctx.join(handles, { onFailure: 'collect' });
  return [
    meanwhile,
    results.map((result) => (result.status === 'succeeded' ? result.value : result.status)),
  ];
}

async function together(place: Place, branches: readonly Promise<unknown>[]): Promise<unknown> {
  if (place.isContained === true) await Promise.allSettled(branches);
  return Promise.all(branches);
}

async function attempt(
  node: Extract<Node, { kind: 'attempt' }>,
  place: Place,
  full: string,
): Promise<unknown> {
  try {
    return await interpret(node.body, { ...place, isContained: true });
  } catch (error) {
    return `caught at ${full}: ${String((error as { message?: unknown }).message)}`;
  }
}

async function seen(place: Place, full: string, outcome: Promise<unknown>): Promise<unknown> {
  try {
    const value = await outcome;
    place.world.saw(full, value);
    return value;
  } catch (error) {
    const { name, message, code } = error as Error & { code?: string };
    // A branch that outlives a failed `run` is told so, which is no outcome of its step.
    if (code !== 'step_after_end') place.world.saw(full, { threw: name, message, code });
    throw error;
  }
}

/** What a step's function does in the end, for a given try. */
export function outcomeOf(
  node: Extract<Node, { kind: 'step' }>,
  path: string,
  run: { tryNumber: number; hinted: boolean; nonce: string },
): unknown {
  const { behaviour } = node;
  switch (behaviour.kind) {
    case 'large':
      return `${path} ${run.nonce} ${'x'.repeat(9_000)}`;
    case 'flaky':
      if (run.tryNumber <= behaviour.failures) throw new RetryableError(`${path} is flaky`);
      return `${path} ${run.nonce}`;
    case 'exhausted':
      if (!(behaviour.mayHelp && run.hinted)) throw new Error(`${path} fails`);
      return `${path} ${run.nonce}`;
    case 'terminal':
      throw new TerminalError(`${path} is terminal`);
    default:
      return `${path} ${run.nonce}`;
  }
}
