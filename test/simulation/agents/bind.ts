import type { Agent, AgentContext, AgentRegistry, StepContext } from '../../../src/agent/index.ts';
import type { Ledger } from '../world/ledger.ts';
import type { Scheduler } from '../world/scheduler.ts';
import type { SimProcess } from '../world/sim-process.ts';
import {
  type AgentInput,
  type AgentWorld,
  interpret,
  JOINED,
  NOTED,
  outcomeOf,
  schemaOf,
} from './interpret.ts';
import type { AgentSpec, Plan } from './spec.ts';

export interface Binding {
  readonly process: SimProcess;
  readonly scheduler: Scheduler;
  readonly ledger: Ledger;
  /** A step takes its process down. */
  readonly onKill: (process: SimProcess, jobId: string) => void;
  /** A step is running. */
  readonly onRunning: (
    process: SimProcess,
    step: { jobId: string; path: string; signal: AbortSignal },
  ) => void;
  readonly violate: (invariant: string, message: string) => void;
  readonly trace?: ((line: string) => void) | undefined;
}

const ANY = schemaOf(() => true);

/** The agents of a seed as one process has them: what their steps do is done by that process, and ends with it. */
export function bindAgents(specs: readonly AgentSpec[], binding: Binding): AgentRegistry {
  return new Map(specs.map((spec) => [spec.name, bindAgent(spec, binding)]));
}

function bindAgent(spec: AgentSpec, binding: Binding): Agent {
  const { cleanUp } = spec;
  return {
    name: spec.name,
    version: spec.version,
    input: ANY,
    output: ANY,
    limits: {
      maxSteps: spec.maxSteps,
      maxDurationMs: spec.maxDurationMs,
      maxAttempts: spec.maxAttempts,
      maxCleanUpMs: spec.maxCleanUpMs,
    },
    run: (ctx, input) => runPlan(spec, ctx, input as AgentInput, realWorld(binding, spec, ctx)),
    ...(cleanUp === undefined
      ? {}
      : {
          onCancel: (ctx: AgentContext) => runCleanUp(cleanUp, ctx, realWorld(binding, spec, ctx)),
        }),
  };
}

/** The result of an agent: all that it has seen. */
export async function runPlan(
  spec: AgentSpec,
  ctx: AgentContext,
  input: AgentInput,
  world: AgentWorld,
): Promise<unknown> {
  const values = await interpret(spec.plan, { ctx, scope: ctx, path: '', world });
  return { agent: spec.name, n: input.n, values, padding: 'r'.repeat(spec.resultPadding) };
}

/** Ids of the clean-up are in a scope of their own. */
export const CLEAN_UP = '[cancel]/';

export async function runCleanUp(plan: Plan, ctx: AgentContext, world: AgentWorld): Promise<void> {
  await interpret(plan, { ctx, scope: ctx, path: CLEAN_UP, world });
}

function realWorld(binding: Binding, spec: AgentSpec, ctx: AgentContext): AgentWorld {
  const { process, ledger, violate } = binding;
  const { jobId } = ctx;
  const generation = process.claims.get(jobId) ?? 0;
  const count = { seen: 0 };
  return {
    act: async (node, path, step, hinted) => {
      const nonce = noteStart(binding, { jobId, path, generation, step });
      if (node.ms > 0) {
        await new Promise<void>((resolve) => {
          process.clock.setTimer(node.ms, resolve);
        });
      }
      binding.onRunning(process, { jobId, path, signal: step.signal });
      if (node.behaviour.kind === 'killer') {
        binding.onKill(process, jobId);
        process.die();
        return new Promise(() => undefined);
      }
      return outcomeOf(node, path, { tryNumber: step.attempt, hinted, nonce });
    },
    saw: (path, outcome) => {
      const key = seenKey({ jobId, generation, path }, spec);
      const text = JSON.stringify(outcome);
      const first = ledger.seen.get(key);
      if (first === undefined) ledger.seen.set(key, text);
      else if (first !== text) {
        violate('I2', `two replays of ${key} saw ${brief(first)} and ${brief(text)}`);
      }
      // A note is no outcome: what an agent says while it sleeps beyond what is recorded, another replay may say later.
      if (outcome === NOTED) return;
      const place = `${jobId} g${generation} v${spec.version} ${path.startsWith(CLEAN_UP) ? CLEAN_UP : ''}#${++count.seen}`;
      const other = ledger.sequence.get(place);
      if (other === undefined) ledger.sequence.set(place, path);
      else if (other !== path) violate('I2', `two replays saw ${other} and ${path} as ${place}`);
    },
  };
}

/** What a join gives is made of what the agent's version does meanwhile; all else is recorded, and the same in each. */
export function seenKey(
  at: { readonly jobId: string; readonly generation: number; readonly path: string },
  { version }: AgentSpec,
): string {
  const { jobId, generation, path } = at;
  return `${jobId} g${generation} ${path}${path.endsWith(JOINED) ? ` v${version}` : ''}`;
}

function noteStart(
  { process, scheduler, ledger, violate, trace }: Binding,
  start: { jobId: string; path: string; generation: number; step: StepContext },
): string {
  const { jobId, path, generation, step } = start;
  const nonce = `x${ledger.starts.length}`;
  trace?.(`${process.name} · ${jobId} starts ${path}, try ${step.attempt} (${nonce})`);
  // Each cancel has a clean-up of its own.
  const act = `${jobId} ${path}${path.startsWith(CLEAN_UP) ? ` g${generation}` : ''}`;
  const known = ledger.keys.get(act);
  if (known === undefined) ledger.keys.set(act, step.idempotencyKey);
  else if (known !== step.idempotencyKey) violate('I5', `step ${path} of ${jobId} has two keys`);
  const started = {
    jobId,
    path,
    process: process.name,
    generation,
    at: scheduler.now,
    tryNumber: step.attempt,
    key: step.idempotencyKey,
    nonce,
    afterWrites: ledger.writes,
  };
  ledger.starts.push(started);
  const ofJob = ledger.startsOf.get(jobId);
  if (ofJob === undefined) ledger.startsOf.set(jobId, [started]);
  else ofJob.push(started);
  return nonce;
}

function brief(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
