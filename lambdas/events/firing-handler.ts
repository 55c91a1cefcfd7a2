import * as z from 'zod';
import type { FlushableTelemetry } from '../../src/adapters/telemetry/powertools-telemetry.ts';
import {
  type FireDeps,
  fireSchedule,
  type Firing,
} from '../../src/core/schedules/fire-schedule.ts';
import { AppError } from '../../src/errors.ts';

export type FiringHandler = (event: unknown) => Promise<void>;

const firingSchema = z.object({
  tenantId: z.string().min(1),
  schedule: z.string().min(1),
  revision: z.string().min(1).optional(),
  scheduledAt: z.iso.datetime({ offset: true }),
});

/** Does what a firing asks for. What fails is thrown: Lambda tries again, and leaves the event in the dead-letter queue then. */
export function firingHandler(
  deps: Omit<FireDeps, 'telemetry'> & { readonly telemetry: FlushableTelemetry },
): FiringHandler {
  return async (event) => {
    try {
      await fireSchedule(deps, firingOf(event));
    } catch (error) {
      deps.telemetry.log('error', 'a firing failed', { error });
      throw error;
    } finally {
      deps.telemetry.flush();
    }
  };
}

function firingOf(event: unknown): Firing {
  const parsed = firingSchema.safeParse(event);
  if (!parsed.success) {
    throw new AppError('the event is no firing of a schedule, and no request of the API', {
      code: 'internal_error',
      details: { faults: parsed.error.issues },
    });
  }
  const { revision, scheduledAt, ...names } = parsed.data;
  return {
    ...names,
    ...(revision !== undefined && { revision }),
    scheduledAt: Date.parse(scheduledAt),
  };
}
