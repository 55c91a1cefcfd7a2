import type { StoredTenant } from '../src/core/ports/tenant-store.ts';
import { isoOf } from './iso-of.ts';

type Tenant = Omit<StoredTenant, 'updatedAt'> & { readonly updatedAt?: number };

/** Settings as JSON for scripts. */
export function tenantJson(tenant: Tenant): Record<string, unknown> {
  const { limits, updatedAt, ...others } = tenant;
  const { maxSteps, maxDurationMs } = limits ?? {};
  return {
    ...others,
    ...(limits !== undefined && {
      limits: {
        ...(maxSteps !== undefined && { maxSteps }),
        ...(maxDurationMs !== undefined && { maxDuration: durationText(maxDurationMs) }),
      },
    }),
    ...(updatedAt !== undefined && { updatedAt: isoOf(updatedAt) }),
  };
}

/** Settings on one line for people, in the words of `tenants set`. */
export function tenantLine({ tenantId, updatedAt, ...settings }: Tenant): string {
  const { allowedAgents, limits = {}, webhookEndpoints, requestsPerSecond } = settings;
  const { maxSteps, maxDurationMs } = limits;
  const parts = [
    allowedAgents && `allowed-agents ${allowedAgents.join(',') || 'none'}`,
    maxSteps !== undefined && `max-steps ${maxSteps}`,
    maxDurationMs !== undefined && `max-duration ${durationText(maxDurationMs)}`,
    requestsPerSecond !== undefined && `requests-per-second ${requestsPerSecond}`,
    webhookEndpoints && `webhook-endpoints ${webhookEndpoints.map(({ url }) => url).join(',')}`,
  ].filter((part) => part !== undefined && part !== false);
  const set = parts.length === 0 ? ['no settings'] : parts;
  const changed = updatedAt === undefined ? [] : [`changed ${isoOf(updatedAt)}`];
  return [tenantId, ...set, ...changed].join('  ');
}

const UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;

/** In the largest unit that leaves no rest. */
function durationText(ms: number): string {
  const [unit, size] = Object.entries(UNITS).find(([, size]) => ms % size === 0) ?? ['ms', 1];
  return `${ms / size}${unit}`;
}
