import type { FinalStatus } from '../job/job.ts';
import type { Clock } from '../ports/clock.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { addUsage, NO_USAGE, type Usage, type UsageStore } from '../ports/usage-store.ts';

/** A job that has come to an end. */
export interface EndedJob {
  readonly tenantId: string;
  readonly status: FinalStatus;
  /** Steps that succeeded in it, those left out that a retry kept. */
  readonly steps: number;
}

export interface UsageDeps {
  /** Without it nothing is counted. */
  readonly usage?: Pick<UsageStore, 'add'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly telemetry: Pick<Telemetry, 'log'>;
}

/** Counts jobs that have ended, with one write for each of their tenants. What fails is only not counted. */
export async function recordUsage(
  { usage, clock, telemetry }: UsageDeps,
  ended: readonly EndedJob[],
): Promise<void> {
  if (usage === undefined) return;
  const byTenant = new Map<string, Usage>();
  for (const { tenantId, status, steps } of ended) {
    const one: Usage = { jobs: { ...NO_USAGE.jobs, [status]: 1 }, steps };
    byTenant.set(tenantId, addUsage(byTenant.get(tenantId) ?? NO_USAGE, one));
  }
  const month = monthOf(clock.now());
  await Promise.all(
    [...byTenant].map(async ([tenantId, counted]) => {
      try {
        await usage.add(tenantId, month, counted);
      } catch (error) {
        telemetry.log('warn', 'what a tenant used could not be counted', { tenantId, error });
      }
    }),
  );
}

/** `2026-11`, in UTC. */
export function monthOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 7);
}
