import type { Caller } from './caller.ts';
import { RequestRefused } from './request-refused.ts';

const REASONS = {
  unknown_agent: 'there is no agent',
  agent_not_allowed: 'this tenant may not use',
};

/** An agent that is not there, or not for this tenant; either way with those that are. */
export function agentRefused(
  code: keyof typeof REASONS,
  agent: string,
  knownAgents: readonly string[],
): RequestRefused {
  const message = code === 'unknown_agent' ? 'unknown agent' : 'not allowed for this tenant';
  return new RequestRefused(
    code,
    `${REASONS[code]} ${JSON.stringify(agent)}: ${code === 'unknown_agent' ? 'known' : 'allowed'} are ${knownAgents.join(', ') || 'none'}`,
    { knownAgents: [...knownAgents], errors: [{ pointer: '/agent', message }] },
  );
}

/**
 * For commands that make a job work again, or a new one of it: an agent taken from a tenant does nothing new for it.
 * @throws RequestRefused `agent_not_allowed`
 */
export function requireAgent({ rules }: Pick<Caller, 'rules'>, agent: string): void {
  const fault = agentFault({ rules }, agent);
  if (fault === undefined) return;
  throw new RequestRefused('agent_not_allowed', fault, {
    knownAgents: [...(rules.allowedAgents ?? [])],
  });
}

/** Why a tenant may not use an agent, if it may not. */
export function agentFault({ rules }: Pick<Caller, 'rules'>, agent: string): string | undefined {
  const { allowedAgents } = rules;
  if (allowedAgents === undefined || allowedAgents.includes(agent)) return undefined;
  return `this tenant may not use ${JSON.stringify(agent)} any more: allowed are ${allowedAgents.join(', ') || 'none'}`;
}
