import {
  type ChangeDeps,
  deleteSchedule,
  pauseSchedule,
} from '../../src/core/schedules/change-schedule.ts';
import {
  type ConfiguredSchedule,
  findConfigured,
  type ScheduleId,
} from '../../src/core/schedules/schedule.ts';
import { noFieldsSchema } from '../../src/protocol/command-requests.ts';
import { LIMITS } from '../../src/protocol/limits.ts';
import type { OperationId } from '../../src/protocol/routes.ts';
import type {
  ScheduleListRepresentation,
  ScheduleRepresentation,
} from '../../src/protocol/schedule.ts';
import { callerOf, requireScope } from './caller.ts';
import { checkedBody } from './checked-body.ts';
import type { HttpRequest, Serve } from './http-handler.ts';
import type { HttpResponse } from './http-response.ts';
import { jsonBodyOf } from './json-body.ts';
import { noSuchSchedule, ownScheduleOf } from './own-schedule.ts';
import { RequestRefused } from './request-refused.ts';
import { routeOf } from './route-of.ts';
import {
  configuredRepresentation,
  scheduleRepresentation,
  withoutInput,
} from './schedule-representation.ts';

export type ScheduleRouteDeps = ChangeDeps & {
  /** Those of the deployment, of all tenants. */
  readonly configured: readonly ConfiguredSchedule[];
};

/** Schedules, but for making them, by operation. */
export function scheduleRoutes(deps: ScheduleRouteDeps): Partial<Record<OperationId, Serve>> {
  return {
    listSchedules: (request) => list(deps, request),
    getSchedule: (request) => get(deps, request),
    deleteSchedule: (request) => remove(deps, request),
    pauseSchedule: (request) => control(deps, request, 'pauseSchedule'),
    resumeSchedule: (request) => control(deps, request, 'resumeSchedule'),
  };
}

/**
 * Lets pass what a request may change.
 * @throws RequestRefused `conflict` for a schedule of the deployment
 */
export function requireUnconfigured(
  { configured }: Pick<ScheduleRouteDeps, 'configured'>,
  id: ScheduleId,
): void {
  if (findConfigured(configured, id) === undefined) return;
  throw new RequestRefused(
    'conflict',
    `the schedule ${JSON.stringify(id.name)} belongs to the configuration of the deployment: change it there and deploy`,
  );
}

async function list(
  { schedules, clock, configured }: ScheduleRouteDeps,
  { event, note }: HttpRequest,
): Promise<HttpResponse> {
  const caller = callerOf(event);
  const { tenantId } = caller;
  note({ tenantId });
  requireScope(caller, routeOf('listSchedules'));
  const now = clock.now();
  const own = configured.filter((one) => one.tenantId === tenantId);
  const [listed, ofConfig] = await Promise.all([
    schedules.list(tenantId),
    Promise.all(
      own.map(async (one) => configuredRepresentation(one, await schedules.findRun(one), now)),
    ),
  ]);
  const rows = [
    ...ofConfig,
    ...listed
      // One of the deployment hides one of the same name that was made before it.
      .filter(({ schedule }) => findConfigured(own, schedule) === undefined)
      .map((row) => scheduleRepresentation(row, now)),
  ];
  const body: ScheduleListRepresentation = { schedules: rows.map(withoutInput) };
  return { status: 200, body };
}

async function get(deps: ScheduleRouteDeps, request: HttpRequest): Promise<HttpResponse> {
  const id = ownScheduleOf(request, routeOf('getSchedule'));
  return { status: 200, body: await shown(deps, id) };
}

async function shown(
  { schedules, clock, configured }: ScheduleRouteDeps,
  id: ScheduleId,
): Promise<ScheduleRepresentation> {
  const ofConfig = findConfigured(configured, id);
  const [schedule, lastRun] = await Promise.all([
    ofConfig ? undefined : schedules.find(id),
    schedules.findRun(id),
  ]);
  const now = clock.now();
  if (ofConfig !== undefined) return configuredRepresentation(ofConfig, lastRun, now);
  if (schedule === undefined) throw noSuchSchedule(id.name);
  return scheduleRepresentation({ schedule, ...(lastRun && { lastRun }) }, now);
}

async function remove(deps: ScheduleRouteDeps, request: HttpRequest): Promise<HttpResponse> {
  const id = ownScheduleOf(request, routeOf('deleteSchedule'));
  requireUnconfigured(deps, id);
  if (!(await deleteSchedule(deps, id))) throw noSuchSchedule(id.name);
  return { status: 204 };
}

const OPTIONAL_BODY = {
  limitBytes: LIMITS.commandBytes,
  advice: 'it takes no fields',
  whenEmpty: {},
};

async function control(
  deps: ScheduleRouteDeps,
  request: HttpRequest,
  operation: 'pauseSchedule' | 'resumeSchedule',
): Promise<HttpResponse> {
  const id = ownScheduleOf(request, routeOf(operation));
  checkedBody(noFieldsSchema, jsonBodyOf(request.event, OPTIONAL_BODY));
  requireUnconfigured(deps, id);
  const result = await pauseSchedule(deps, id, operation === 'pauseSchedule');
  if (result.outcome === 'unknown') throw noSuchSchedule(id.name);
  if (result.outcome === 'raced') throw scheduleRaced(id.name);
  return { status: 200, body: await shown(deps, id) };
}

export function scheduleRaced(name: string): RequestRefused {
  return new RequestRefused(
    'conflict',
    `the schedule ${JSON.stringify(name)} was changed by other requests at the same time: look at it, and send this again`,
  );
}
