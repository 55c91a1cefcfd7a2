import { AppError } from '../errors.ts';
import type { Agent } from './define-agent.ts';

/** The agents of one deployment, by name. */
export type AgentRegistry = ReadonlyMap<string, Agent>;

/**
 * Collects agents into a registry; the file given as `agentsEntry` exports one as `registry`.
 * @throws AppError `invalid_option` when two agents share a name.
 */
export function defineRegistry(...agents: readonly Agent[]): AgentRegistry {
  const registry = new Map<string, Agent>();
  for (const agent of agents) {
    if (registry.has(agent.name)) {
      throw new AppError(`two agents are named ${JSON.stringify(agent.name)}: rename one of them`, {
        code: 'invalid_option',
        details: { field: 'name', value: agent.name },
      });
    }
    registry.set(agent.name, agent);
  }
  return registry;
}
