import type { Agent } from '../../agent/define-agent.ts';
import type { AgentRegistry } from '../../agent/registry.ts';
import { AppError } from '../../errors.ts';
import type { WaitReason } from '../job/job.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { Telemetry } from '../ports/telemetry.ts';

/** Why this deployment runs no code of an agent. */
export interface Unavailable {
  readonly reason: Extract<WaitReason, 'agent_missing' | 'agent_refused'>;
  readonly error: AppError;
}

/** The agent of a job, or why its code cannot run here. */
export function findAgent(
  agents: AgentRegistry,
  name: string,
  sliceMs: number,
): { readonly agent: Agent } | { readonly agent: undefined; readonly unavailable: Unavailable } {
  const agent = agents.get(name);
  const error = agent === undefined ? missing(name) : refusalOf(agent, sliceMs);
  if (agent !== undefined && error === undefined) return { agent };
  const reason = agent === undefined ? 'agent_missing' : 'agent_refused';
  return { agent: undefined, unavailable: { reason, error: error ?? missing(name) } };
}

/** What an agent declares and no time slice of this length can give. */
export function refusalOf(agent: Agent, sliceMs: number): AppError | undefined {
  const { maxStepTimeoutMs } = agent.limits;
  if (maxStepTimeoutMs === undefined || maxStepTimeoutMs <= sliceMs) return undefined;
  return new AppError(
    `agent ${JSON.stringify(agent.name)} is refused: its limits.maxStepTimeout is ${maxStepTimeoutMs} ms, and a time slice gives a step at most ${sliceMs} ms; ` +
      'lower it, or raise worker.timeoutSeconds (workers.<name>.timeoutSeconds of its lane) in the configuration (at most 900)',
    {
      code: 'step_timeout_too_long',
      details: { agent: agent.name, timeoutMs: maxStepTimeoutMs, limitMs: sliceMs },
    },
  );
}

/** Says which agents of a lane are refused, so that it is known before the first job of one comes. */
export function reportRefused(
  deps: {
    readonly agents: AgentRegistry;
    readonly queue: Pick<JobQueue, 'laneOf'>;
    readonly telemetry: Telemetry;
  },
  lane: string,
  sliceMs: number,
): void {
  for (const agent of deps.agents.values()) {
    if (deps.queue.laneOf(agent.name) !== lane) continue;
    const error = refusalOf(agent, sliceMs);
    if (error === undefined) continue;
    deps.telemetry.count('AgentRefused', 1, { agent: agent.name });
    deps.telemetry.log('error', error.message, { agent: agent.name, ...error.details });
  }
}

/** Says which agents of a lane no registry has: a name that is written wrong sends its agent's jobs to the default lane. */
export function reportUnknown(
  deps: { readonly agents: AgentRegistry; readonly telemetry: Telemetry },
  lane: { readonly name: string; readonly agents: readonly string[] },
): void {
  for (const agent of lane.agents.filter((name) => deps.agents.get(name) === undefined)) {
    deps.telemetry.log(
      'warn',
      `workers.${lane.name}.agents names an agent that is not in the registry of this deployment: no job of it will come`,
      { agent, lane: lane.name },
    );
  }
}

function missing(name: string): AppError {
  return new AppError(`agent ${JSON.stringify(name)} is not in the registry of this deployment`, {
    code: 'agent_missing',
    details: { agent: name },
  });
}
