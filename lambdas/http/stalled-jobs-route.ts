import { type Duration, durationMs } from '../../src/agent/duration.ts';
import {
  listStalledJobs,
  type StalledJob,
  type StalledQuery,
} from '../../src/core/commands/list-stalled-jobs.ts';
import type { ListPosition } from '../../src/core/job/list-position.ts';
import type { Clock } from '../../src/core/ports/clock.ts';
import { hasCode } from '../../src/errors.ts';
import {
  type StalledJobListRepresentation,
  type StalledJobRepresentation,
  stalledJobsQuerySchema,
} from '../../src/protocol/stalled-jobs.ts';
import { callerOf, requireScope } from './caller.ts';
import { checkedQuery, refusedQuery } from './checked-query.ts';
import { instant } from './error-representation.ts';
import type { Serve } from './http-handler.ts';
import type { ListDeps } from './list-route.ts';
import { basePathOf } from './request.ts';
import { routeOf } from './route-of.ts';

export interface StalledJobsDeps extends ListDeps {
  readonly clock: Pick<Clock, 'now'>;
}

/** `GET /stalled-jobs` */
export function stalledJobsRoute(deps: StalledJobsDeps): Serve {
  return async ({ event, note }) => {
    const caller = callerOf(event);
    const { tenantId } = caller;
    note({ tenantId });
    requireScope(caller, routeOf('listStalledJobs'));
    const query = checkedQuery(stalledJobsQuerySchema, event);
    const { limit, cursor, agent, createdAfter, waitingLonger } = query;
    const filters: StalledQuery['filters'] = {
      ...(agent !== undefined && { agent }),
      ...(createdAfter !== undefined && { createdAfter: Date.parse(createdAfter) }),
    };
    const longMs = lengthOf(waitingLonger);
    const boundTo = ['stalled-jobs', tenantId, { ...filters, longMs }];
    const after =
      cursor === undefined
        ? undefined
        : ((await deps.cursors.open(boundTo, cursor)) as ListPosition);
    const { rows, next } = await listStalledJobs(deps, {
      tenantId,
      filters,
      longMs,
      limit,
      ...(after !== undefined && { after }),
    });
    const body: StalledJobListRepresentation = {
      stalledJobs: rows.map((row) => representation(row, basePathOf(event))),
      ...(next !== undefined && { next: await deps.cursors.seal(boundTo, next) }),
    };
    return { status: 200, body };
  };
}

function lengthOf(waitingLonger: string): number {
  try {
    return durationMs(waitingLonger as Duration);
  } catch (error) {
    if (!hasCode(error, 'invalid_duration')) throw error;
    throw refusedQuery([{ parameter: 'waitingLonger', message: error.message }]);
  }
}

function representation(
  { job: { jobId, agent, status, createdAt }, stall }: StalledJob,
  basePath: string,
): StalledJobRepresentation {
  const { kind, reason, since, until } = stall;
  return {
    jobId,
    agent,
    status,
    kind,
    reason,
    since: instant(since),
    ...(until !== undefined && { until: instant(until) }),
    createdAt: instant(createdAt),
    links: { job: `${basePath}/jobs/${jobId}`, trace: `${basePath}/jobs/${jobId}/trace` },
  };
}
