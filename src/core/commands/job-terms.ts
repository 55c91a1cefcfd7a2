import type { Agent } from '../../agent/define-agent.ts';
import { type Duration, durationText } from '../../agent/duration.ts';
import { durationBound, type JobLimits } from '../policy/job-limits.ts';
import type { InputFault } from './input-faults.ts';

/** When a job is to start: so long after it is accepted, or at an instant. */
export type Start = { readonly delayMs: number } | { readonly at: number };

/** What a caller asks of the way in which a job is done. */
export interface AskedTerms {
  readonly limits?: JobLimits;
  readonly start?: Start;
  /** Bounds that the tenant has for each of its jobs. */
  readonly tenantLimits?: JobLimits;
}

/** The terms of a job: what is absent is as its agent has it, or at once. */
export interface JobTerms {
  readonly limits?: JobLimits;
  /** In the future when the job was accepted. */
  readonly startAt?: number;
}

const DAY_MS = 86_400_000;
const LONGEST_DELAY_MS = 365 * DAY_MS;
/** From the submission on: payloads are kept for as long, and for the retention. */
export const LONGEST_LIFE_MS = 400 * DAY_MS;
const SHORTEST_MS = 1_000;

/** The terms of a job that was accepted at an instant: the same for every replay of its submission. */
export function termsOf(
  { limits, tenantLimits, start, definition }: AskedTerms & { readonly definition: Agent },
  acceptedAt: number,
): JobTerms {
  const bounds = {
    ...bound('maxSteps', [limits, tenantLimits], definition.limits.maxSteps),
    ...bound('maxDurationMs', [limits, tenantLimits], definition.limits.maxDurationMs),
  };
  const startAt = start && instantOf(start, acceptedAt);
  return {
    ...(Object.keys(bounds).length > 0 && { limits: bounds }),
    ...(startAt !== undefined && startAt > acceptedAt && { startAt }),
  };
}

/** The tightest; left out where the agent is as tight, since the item of the job is billed by its size. */
function bound(
  name: keyof JobLimits,
  given: readonly (JobLimits | undefined)[],
  ofAgent: number,
): JobLimits {
  const least = Math.min(...given.map((limits) => limits?.[name] ?? Infinity));
  return least < ofAgent ? { [name]: least } : {};
}

function instantOf(start: Start, acceptedAt: number): number {
  return 'at' in start ? start.at : acceptedAt + start.delayMs;
}

/** What is wrong with the terms, by the field of the submission. */
export function termFaults(asked: AskedTerms, definition: Agent, now: number): InputFault[] {
  return [...limitFaults(asked, definition), ...startFaults(asked, definition, now)];
}

function limitFaults({ limits = {}, tenantLimits = {} }: AskedTerms, agent: Agent): InputFault[] {
  const { maxSteps, maxDurationMs } = limits;
  const tooMany = (most: number | undefined, whose: string) =>
    maxSteps !== undefined && most !== undefined && maxSteps > most
      ? [fault(['limits', 'maxSteps'], `is ${maxSteps}: the ${whose} allows ${most} at most`)]
      : [];
  const tooLong = (mostMs: number | undefined, whose: string) =>
    maxDurationMs !== undefined && mostMs !== undefined && maxDurationMs > mostMs
      ? [fault(DURATION, `is ${text(maxDurationMs)}: the ${whose} allows ${text(mostMs)} at most`)]
      : [];
  return [
    ...tooMany(agent.limits.maxSteps, 'agent'),
    ...tooMany(tenantLimits.maxSteps, 'tenant'),
    ...tooLong(agent.limits.maxDurationMs, 'agent'),
    ...tooLong(tenantLimits.maxDurationMs, 'tenant'),
    ...(maxDurationMs !== undefined && maxDurationMs < SHORTEST_MS
      ? [fault(DURATION, `is ${text(maxDurationMs)}: a job needs 1s at least`)]
      : []),
  ];
}

const DURATION = ['limits', 'maxDuration'] as const;

function startFaults(asked: AskedTerms, definition: Agent, now: number): InputFault[] {
  const { start } = asked;
  if (start === undefined) return [];
  const field = 'at' in start ? 'startAt' : 'delay';
  const delayMs = instantOf(start, now) - now;
  if (delayMs > LONGEST_DELAY_MS) return [fault([field], 'is more than 365 days ahead')];
  const { limits } = termsOf({ ...asked, definition }, now);
  const { value } = durationBound({ ...(limits !== undefined && { limits }) }, definition);
  if (delayMs <= 0 || delayMs + value <= LONGEST_LIFE_MS) return [];
  return [
    fault(
      [field],
      `and the ${text(value)} that the job may take then are more than 400 days in all: start it earlier, or tighten limits.maxDuration`,
    ),
  ];
}

const fault = (path: readonly string[], message: string): InputFault => ({ path, message });
const text = (ms: number): Duration => durationText(ms);
