import type { ScheduleId } from '../../src/core/schedules/schedule.ts';
import type { Route, Scope } from '../../src/protocol/routes.ts';
import { scheduleNameSchema } from '../../src/protocol/schedule.ts';
import { callerOf, requireScope } from './caller.ts';
import type { HttpRequest } from './http-handler.ts';
import { RequestRefused } from './request-refused.ts';

/**
 * The schedule that the path names and the tenant that asks for it.
 * @throws RequestRefused `unauthorized`, `insufficient_scope`, `invalid_request` for what is no name
 */
export function ownScheduleOf(
  { event, note }: HttpRequest,
  route: Route & { readonly scope: Scope },
): ScheduleId {
  const caller = callerOf(event);
  const { tenantId } = caller;
  const name = event.pathParameters?.name ?? '';
  note({ tenantId, schedule: name });
  requireScope(caller, route);
  const parsed = scheduleNameSchema.safeParse(name);
  if (parsed.success) return { tenantId, name };
  throw new RequestRefused(
    'invalid_request',
    `${JSON.stringify(name)} in the path: ${parsed.error.issues[0]?.message ?? ''}`,
  );
}

/** The same for one that never was and one of another tenant. */
export function noSuchSchedule(name: string): RequestRefused {
  return new RequestRefused('not_found', `there is no schedule ${JSON.stringify(name)}`);
}
