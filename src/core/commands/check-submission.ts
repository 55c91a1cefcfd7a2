import type { Agent, AgentRegistry } from '../../agent/index.ts';
import { canonicalJson } from '../job/canonical-json.ts';
import type { IdSource } from '../ports/id-source.ts';

/** What a caller asks for, its form already checked. */
export interface Submission {
  readonly tenantId: string;
  readonly agent: string;
  readonly input: unknown;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly idempotencyKey?: string;
  readonly traceparent?: string;
  /** Agents that the tenant may submit to; absent: all. A sub-job is the affair of the agent that spawns it. */
  readonly allowedAgents?: readonly string[];
  /** Present when a job asks and not a client. */
  readonly child?: ChildSubmission;
}

/** What a sub-job has from the job that spawns it. */
export interface ChildSubmission {
  /** Derived from the spawn, so that it makes one job however often it is repeated. */
  readonly jobId: string;
  readonly parentId: string;
  readonly depth: number;
  /** The parent's: a sub-job has no more time than is left of it. */
  readonly deadlineAt: number;
  readonly expiresAtSeconds: number;
}

/** A submission that may become a job. */
export interface CheckedSubmission extends Submission {
  readonly definition: Agent;
  /** SHA-256 of the canonical submission: two submissions with the same one ask for the same. */
  readonly fingerprint: string;
}

export interface InputFault {
  /** From the root of the input. */
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

export type SubmissionCheck =
  | { readonly valid: true; readonly submission: CheckedSubmission }
  | {
      readonly valid: false;
      readonly code: 'unknown_agent' | 'agent_not_allowed';
      /** Those that this tenant may submit to. */
      readonly knownAgents: readonly string[];
    }
  | {
      readonly valid: false;
      readonly code: 'invalid_input';
      readonly faults: readonly InputFault[];
    };

/** Checks a submission against the agents of this deployment. */
export async function checkSubmission(
  deps: { readonly agents: AgentRegistry; readonly ids: IdSource },
  submission: Submission,
): Promise<SubmissionCheck> {
  const { agent, allowedAgents } = submission;
  const knownAgents = agentsFor(deps.agents, allowedAgents);
  // First of all, so that a tenant does not learn which other agents there are.
  if (allowedAgents?.includes(agent) === false) {
    return { valid: false, code: 'agent_not_allowed', knownAgents };
  }
  const definition = deps.agents.get(agent);
  if (definition === undefined) return { valid: false, code: 'unknown_agent', knownAgents };
  const faults = await inputFaults(definition, submission.input);
  if (faults.length > 0) return { valid: false, code: 'invalid_input', faults };
  const fingerprint = deps.ids.sha256(fingerprintText(submission));
  return { valid: true, submission: { ...submission, definition, fingerprint } };
}

function agentsFor(agents: AgentRegistry, allowed: Submission['allowedAgents']): string[] {
  return [...agents.keys()].filter((name) => allowed?.includes(name) ?? true).sort();
}

async function inputFaults(agent: Agent, input: unknown): Promise<InputFault[]> {
  // A schema may transform what it is given; the job keeps what the caller sent.
  const result = await agent.input['~standard'].validate(structuredClone(input));
  return (result.issues ?? []).map((issue) => ({
    path: (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part)),
    message: issue.message,
  }));
}

function fingerprintText({ agent, input, metadata, tags }: Submission): string {
  return canonicalJson({ agent, input, metadata, tags });
}
