import * as z from 'zod';
import { scheduleNameSchema, scheduleRequestSchema } from '../src/protocol/schedule.ts';
import { type AskedTiming, timingFaults } from '../src/recurrence/timing-faults.ts';
import { ConfigError } from './config-error.ts';

/** A schedule of a deployment, for one of its tenants: only a deploy changes it. */
export type ConfiguredScheduleInput = z.input<typeof scheduleRequestSchema> & {
  readonly tenant: string;
  /** Unique within the tenant. */
  readonly name: string;
};

/** As the function of the schedules reads it. */
export interface ConfiguredSchedule {
  readonly tenantId: string;
  readonly name: string;
  readonly timing: AskedTiming;
  readonly job: Readonly<Record<string, unknown>>;
}

const ownFields = z.object({
  tenant: z.string().regex(/^[a-z0-9-]{1,64}$/, { error: 'must be 1 to 64 of a-z 0-9 -' }),
  name: scheduleNameSchema,
});

/**
 * The schedules of a configuration. Whether agents take their inputs shows when they run.
 * @throws ConfigError naming each schedule and field at fault
 */
export function configuredSchedules(given: unknown): ConfiguredSchedule[] {
  if (!Array.isArray(given)) {
    throw new ConfigError([`schedules must be a list, got ${JSON.stringify(given)}`]);
  }
  const faults: string[] = [];
  const found = given.map((one: unknown, index) => {
    const told = (path: readonly PropertyKey[], message: string) => {
      faults.push(
        `schedules[${index}]${path.map((part) => `.${String(part)}`).join('')}: ${message}`,
      );
    };
    const { tenant, name, ...request } = (one ?? {}) as Record<string, unknown>;
    const own = ownFields.safeParse({ tenant, name });
    const asked = scheduleRequestSchema.safeParse(request);
    for (const { path, message } of own.error?.issues ?? []) told(path, message);
    for (const { path, message } of asked.error?.issues ?? []) told(path, message);
    if (!own.success || !asked.success) return undefined;
    const { expression, timezone, startAt, endAt, ...job } = asked.data;
    const timing = {
      expression,
      timezone,
      ...(startAt !== undefined && { startAt: Date.parse(startAt) }),
      ...(endAt !== undefined && { endAt: Date.parse(endAt) }),
    };
    for (const { path, message } of timingFaults(timing)) told(path, message);
    return { tenantId: own.data.tenant, name: own.data.name, timing, job };
  });
  const keys = found.map((one) => one && `${one.tenantId}/${one.name}`);
  const twice = keys.filter((key, index) => key !== undefined && keys.indexOf(key) !== index);
  faults.push(...twice.map((key) => `schedules: ${key ?? ''} is there twice`));
  if (faults.length > 0) throw new ConfigError(faults);
  return found.filter((one) => one !== undefined);
}
