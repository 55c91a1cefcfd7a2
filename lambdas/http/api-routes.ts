import { readTrace } from '../../src/core/commands/read-trace.ts';
import type { JobStore } from '../../src/core/ports/job-store.ts';
import type { OperationId } from '../../src/protocol/routes.ts';
import { plainQuery } from './checked-query.ts';
import type { HttpRequest, Serve } from './http-handler.ts';
import { type ListDeps, listRoute } from './list-route.ts';
import { jobRoute, type JobRouteDeps } from './job-route.ts';
import { openapiRoute } from './openapi-route.ts';
import { noSuchJob, ownJobOf } from './own-job.ts';
import { parseCursor } from './page-cursor.ts';
import { routeOf } from './route-of.ts';
import { traceRepresentation } from './trace-representation.ts';

export type ApiDeps = JobRouteDeps & ListDeps & { readonly jobs: Pick<JobStore, 'listPages'> };

/** What the `api` function serves to readers, by operation. */
export function apiRoutes(deps: ApiDeps): Partial<Record<OperationId, Serve>> {
  return {
    listJobs: listRoute(deps),
    getJob: jobRoute(deps),
    getTrace: (request) => getTrace(deps, request),
    getHealth: () => ({ status: 200, body: { status: 'ok' } }),
    getOpenapi: openapiRoute,
  };
}

async function getTrace(deps: ApiDeps, request: HttpRequest) {
  const query = ownJobOf(request, routeOf('getTrace'));
  const { cursor } = plainQuery(['cursor'], request.event);
  const position = cursor === undefined ? undefined : parseCursor(cursor);
  const reading = await readTrace(deps, {
    ...query,
    ...(position !== undefined && { cursor: position }),
  });
  if (reading === undefined) throw noSuchJob(query.jobId);
  return { status: 200, body: traceRepresentation(reading, { isFirst: position === undefined }) };
}
