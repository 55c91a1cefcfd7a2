import type { LonghaulConfig } from './config.ts';
import { ConfigError } from './config-error.ts';
import type { ConfiguredSchedule } from './configured-schedules.ts';
import { loadAgents } from './load-agents.ts';

/**
 * Agents as the deployment would load them, and those that the configuration names.
 * @throws ConfigError when an agent is defined wrongly, or named and not there
 */
export function checkAgents(
  agentsEntry: string,
  {
    config,
    configured,
  }: { readonly config: LonghaulConfig; readonly configured: readonly ConfiguredSchedule[] },
): void {
  const names = loadAgents(agentsEntry);
  if (names === undefined) return;
  const named = [
    ...Object.entries(config.workers).flatMap(([lane, { agents }]) =>
      agents.map((agent) => ({ agent, by: `workers.${lane}.agents` })),
    ),
    ...configured.map(({ name, job }) => ({ agent: job['agent'], by: `schedule ${name}` })),
  ];
  const faults = named
    .filter(({ agent }) => typeof agent !== 'string' || !names.includes(agent))
    .map(
      ({ agent, by }) =>
        `${by} names the agent ${JSON.stringify(agent)}, which ${agentsEntry} does not register: it has ${names.join(', ')}`,
    );
  if (faults.length > 0) throw new ConfigError(faults);
}
