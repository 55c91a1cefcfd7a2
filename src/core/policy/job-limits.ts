import type { Agent } from '../../agent/define-agent.ts';

/** Bounds of one job, which only tighten those of its agent. */
export interface JobLimits {
  readonly maxSteps?: number;
  /** From the start of the job on. */
  readonly maxDurationMs?: number;
}

/** A bound, and whose it is: messages name what somebody would have to change. */
export interface Bound {
  readonly value: number;
  readonly of: 'agent' | 'job';
}

interface Bounded {
  readonly limits?: JobLimits;
}

export function stepsBound({ limits }: Bounded, agent: Agent): Bound {
  return tighter(limits?.maxSteps, agent.limits.maxSteps);
}

export function durationBound({ limits }: Bounded, agent: Agent): Bound {
  return tighter(limits?.maxDurationMs, agent.limits.maxDurationMs);
}

/** The agent of today may be tighter than it was when the job was submitted. */
function tighter(ofJob: number | undefined, ofAgent: number): Bound {
  return ofJob !== undefined && ofJob < ofAgent
    ? { value: ofJob, of: 'job' }
    : { value: ofAgent, of: 'agent' };
}
