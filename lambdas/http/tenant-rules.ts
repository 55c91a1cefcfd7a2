import type { TenantLimits, TenantSettings } from '../../src/core/ports/tenant-store.ts';

/**
 * What each request needs to know of its tenant's settings. The authorizer hands it to the handlers with its verdict, which
 * API Gateway keeps: so a submit reads no settings.
 */
export interface TenantRules {
  /** Absent: every agent. */
  readonly allowedAgents?: readonly string[];
  readonly limits: TenantLimits;
  /** 0: no limit. */
  readonly requestsPerSecond: number;
  /** Whether endpoints of the tenant are told of its jobs. */
  readonly hasEndpoints?: true;
}

/** An authorizer may hand over texts, numbers and flags only; they arrive as texts. */
export type RulesContext = Readonly<Record<string, string | number>>;

/** The rules of a tenant as an authorizer's context. */
export function rulesContext(
  settings: TenantSettings | undefined,
  defaults: Pick<TenantRules, 'requestsPerSecond'>,
): RulesContext {
  const { allowedAgents, limits = {}, requestsPerSecond, webhookEndpoints = [] } = settings ?? {};
  const { maxSteps, maxDurationMs } = limits;
  return {
    ...(allowedAgents !== undefined && { allowedAgents: allowedAgents.join(' ') }),
    ...(maxSteps !== undefined && { maxSteps }),
    ...(maxDurationMs !== undefined && { maxDurationMs }),
    requestsPerSecond: requestsPerSecond ?? defaults.requestsPerSecond,
    ...(webhookEndpoints.length > 0 && { hasEndpoints: 1 }),
  };
}

/** The rules out of what an authorizer handed over. */
export function rulesOf(context: Readonly<Record<string, unknown>>): TenantRules {
  const { allowedAgents } = context;
  const maxSteps = numberOf(context['maxSteps']);
  const maxDurationMs = numberOf(context['maxDurationMs']);
  return {
    ...(typeof allowedAgents === 'string' && { allowedAgents: wordsOf(allowedAgents) }),
    limits: {
      ...(maxSteps !== undefined && { maxSteps }),
      ...(maxDurationMs !== undefined && { maxDurationMs }),
    },
    requestsPerSecond: numberOf(context['requestsPerSecond']) ?? 0,
    ...(numberOf(context['hasEndpoints']) === 1 && { hasEndpoints: true as const }),
  };
}

/** Words between blanks. */
export function wordsOf(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
