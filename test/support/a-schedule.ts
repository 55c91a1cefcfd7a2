import type { Schedule } from '../../src/core/schedules/schedule.ts';
import { NOON } from './builders.ts';

/** A schedule of `acme` that runs every hour. */
export function aSchedule(fields: Partial<Schedule> = {}): Schedule {
  return {
    tenantId: 'acme',
    name: 'hourly',
    revision: 'r1',
    isPaused: false,
    timing: { expression: 'rate(1 hour)', timezone: 'UTC', anchorAt: NOON },
    job: { agent: 'echo', input: { value: 'ü' } },
    isArmed: false,
    createdAt: NOON,
    updatedAt: NOON,
    ...fields,
  };
}
